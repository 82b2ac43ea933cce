"""Generator of the manual's pages that come from the project itself.

Cross-references are resolved by mkdocs-autorefs and links checked by htmlproofer; made here are
notebooks, as mkdocs-jupyter's pages weigh 600 kB and load a script of another site, the citation,
as no plugin reads CITATION.cff, and formulas, as plugins need scripts in the browser or Node.js.
"""
