"""lm-eval: the exam as a task, in the file ``nim_exam.yaml`` of this folder."""
