"""The reference: a page for each public module, with its public names."""

from __future__ import annotations

import griffe

from docs.generator.markdown import RARELY, ROOT, linked, paragraphs, table, write

MODULES = (
    "nim_envs", "nim_envs.envs.aec", "nim_envs.envs.versus", "nim_envs.envs.vector",
    "nim_envs.encoding", "nim_envs.starts", "nim_envs.scoring", "nim_envs.rules",
    "nim_envs.theory", "nim_envs.solver", "nim_envs.cgt.sequences",
    "nim_envs.cgt.nimber_field", "nim_envs.cgt.misere_quotients",
    "agents.research.column_automata",
    "nim_envs.players", "nim_envs.check", "nim_envs.diagnosis", "nim_envs.text",
    "nim_envs.text.exam",
    "nim_envs.render", "nim_envs.render.notebook", "nim_envs.errors", "nim_envs.adapters",
    "agents", "agents.base", "agents.training", "agents.training.seeds",
    "agents.training.metrics", "agents.evaluation", "agents.storage", "agents.tabular.schedules",
    "agents.research", "agents.research.alphazero",
    "benchmarks.leaderboard",
)  # fmt: skip
"""The public modules in navigation order; a package without names stands for its modules."""

WITH_INHERITED = ("nim_envs.rules.rules.Rules",)
"""Classes that are shown with the members of their bases, which have no page."""

FALLBACKS = ("nim_envs", "agents")
"""Packages whose exports are shown with the module they belong to, where that has a page."""


def load() -> dict[str, griffe.Module]:
    """Return the packages, read but not imported, so that missing extras do not matter."""
    loader = griffe.GriffeLoader(search_paths=[ROOT])
    packages = {
        name: loader.load(name) for name in dict.fromkeys(each.split(".")[0] for each in MODULES)
    }
    loader.resolve_aliases(implicit=True)
    return packages


def modules(packages: dict[str, griffe.Module]) -> list[str]:
    """Return the modules with a page: those named, and those of packages without names."""
    found = []
    for path in MODULES:
        module = _module(packages, path)
        if module.is_init_module and not names(module):
            found += [
                f"{path}.{name}" for name, member in sorted(module.members.items())
                if not member.is_alias and member.is_module
            ]  # fmt: skip
        else:
            found.append(path)
    return found


def _module(packages: dict[str, griffe.Module], path: str) -> griffe.Module:
    package, _, rest = path.partition(".")
    return packages[package][rest] if rest else packages[package]  # type: ignore[no-any-return]


def names(module: griffe.Module) -> list[str]:
    """Return the public names of a module: its ``__all__``, or else its classes and functions."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    return [
        name for name, member in module.members.items()
        if not name.startswith("_") and not member.is_alias
        and (member.is_class or member.is_function)
    ]  # fmt: skip


def public(module: griffe.Module) -> list[griffe.Object | griffe.Alias]:
    """Return what has the public names of a module; others are read where they are defined."""
    return [module[name] for name in names(module) if name in module.members]


def summary(documented: griffe.Object | griffe.Alias, module: str) -> str:
    """Return the first line of a docstring as Markdown; ``module`` is for names without one."""
    text = documented.docstring.value if documented.docstring else ""
    return linked(text.partition("\n")[0], module)


def pages() -> list[str]:
    """Write the pages of the reference; return the lines of the navigation."""
    packages = load()
    paths = modules(packages)
    listed = {path: public(_module(packages, path)) for path in paths}
    # Each name is shown in full once: in the module it belongs to, or else where it is exported.
    home: dict[str, str] = {}
    for path in [path for path in paths if path not in FALLBACKS] + list(FALLBACKS):
        for each in listed[path]:
            home.setdefault(each.canonical_path, path)
    lines = ["* [API](reference/index.md)"]
    overview = []
    for path in paths:
        page = f"reference/{path}.md"
        # No page has the title of another, and the manual has that of its first package.
        title = path if "." in path else f"{path}, the package"
        lines.append(f"    * [{title}]({page})")
        overview.append((f"[`{path}`]({path}.md)", summary(_module(packages, path), path)))
        rows = [
            (
                f'<autoref identifier="{each.canonical_path}"><code>{each.name}</code></autoref>',
                summary(each, path),
            )
            for each in listed[path]
        ]
        details = [
            f"::: {each.canonical_path}\n    options:\n      heading_level: 2\n"
            f"      inherited_members: {str(each.canonical_path in WITH_INHERITED).lower()}"
            for each in listed[path]
            if home[each.canonical_path] == path
        ]
        parts = [
            f"# {title}",
            f"::: {path}\n    options:\n      members: false\n      show_root_heading: false\n"
            "      show_root_toc_entry: false",
            table(("name", "what it is"), rows),
            *details,
        ]
        write(page, paragraphs(parts), boost=RARELY)
    write(
        "reference/index.md",
        "# API\n\nThe public names, by the module that they are imported from. What is not here is "
        "not for use from outside, and may change.\n\n"
        f"{table(('module', 'what it holds'), overview)}\n",
        boost=RARELY,
    )
    return lines
