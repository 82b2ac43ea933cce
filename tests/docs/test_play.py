"""The boards that one plays on, and the search, in a browser on the built manual.

``NIM_ENVS_SITE`` names the directory of the manual.
"""

import gzip
import http.server
import os
import random
import re
import shutil
import threading
from functools import cache, partial
from pathlib import Path

import pytest

pytest.importorskip("griffe")
pytest.importorskip("mkdocs_gen_files")

from docs.generator import games, play
from docs.generator.play import boards
from nim_envs.registry import GAMES
from nim_envs.render import widget
from nim_envs.render.board_data import SCRIPT, STYLE
from nim_envs.render.words import position_in_words
from tests import outcome_games

PLAYED = (
    "addition", "nim", "misere_nim", "kayles", "wythoff", "chomp", "cram", "node_kayles", "graph",
)  # fmt: skip
"""Games that are won and thrown in the browser."""

CONVENTIONS = ["normal", "misere"]


def winners(board, misere):
    """Whether the player to move wins, at each position, by plain recursion over the moves."""

    @cache
    def wins(index):
        row = board.moves[index]
        return any(not wins(after) for _, after in row) if row else misere

    return [wins(index) for index in range(len(board.positions))]


def test_more_games_make_a_learner_better_and_training_again_gives_the_same_moves():
    board, *_ = boards("nim").values()
    wins = winners(board, misere=False)

    def right(word):
        shares = []
        for index, marks in enumerate(word.split(" ")):
            moves = zip(marks, board.moves[index], strict=True)
            best = [not wins[after] for mark, (_, after) in moves if mark == "1"]
            shares += [sum(best) / len(best)] if wins[index] else []
        return sum(shares) / len(shares)

    learned = play.learned(board, board.game)
    shares = [right(word) for word in learned]
    assert shares[0] < 0.3 < shares[2] < shares[3]
    assert shares[3] > 0.95
    assert play.learned(board, board.game) == learned


@pytest.fixture(scope="module")
def site():
    """The address of a server of the manual."""
    if "NIM_ENVS_SITE" not in os.environ:
        pytest.skip("NIM_ENVS_SITE names no manual")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=os.environ["NIM_ENVS_SITE"])
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    """Chromium of the system."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def visit(site, browser):
    """Function that opens the page of a game; at the end nothing is to have gone wrong."""
    wrong, contexts = [], []

    def opened(path, width=1280, scheme="light", calm=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce" if calm else "no-preference",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        # A picture that is still on its way when a page is left is no fault.
        page.on(
            "requestfailed",
            lambda request: request.failure == "net::ERR_ABORTED" or wrong.append(request.url),
        )
        page.on("response", lambda got: got.status >= 400 and wrong.append(got.url))
        page.on(
            "request",
            lambda asked: asked.url.startswith((site, "data:", "blob:")) or wrong.append(asked.url),
        )
        page.goto(f"{site}/{path}")
        page.wait_for_function("document.querySelector('.nim-play')?.nimPlay")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


EVERY_POSITION = """([board, convention]) => {
  const root = document.querySelector(".nim-play"), play = root.nimPlay;
  play.boardChoice.value = board;
  play.conventionChoice.value = convention;
  play.restart();
  play.mark(true);
  return play.board.words.map((_, position) => {
    play.past = [];
    play.go(position);
    const buttons = [...root.querySelectorAll(".nim-play-moves button")];
    return {
      said: root.querySelector(".nim-play-live").textContent,
      label: play.picture.getAttribute("aria-label"),
      moves: buttons.map((button) => button.firstChild.textContent),
      right: buttons.map((button) => button.classList.contains("nim-play-wins")),
      after: buttons.map((_, move) => play.board.words[play.tables.after(position, move)]),
      green: [...play.picture.children].some((each) =>
        "#00966e" === each.getAttribute("fill") || "#00966e" === each.getAttribute("stroke"))
    };
  });
}"""


@pytest.mark.parametrize("name", PLAYED)
def test_every_position_shows_what_python_says(visit, name):
    page = visit(f"games/{name}.html")
    for number, board in enumerate(boards(name).values()):
        words = [position_in_words(board.game, each) for each in board.positions]
        for convention in CONVENTIONS:
            wins = winners(board, convention == "misere")
            found = page.evaluate(EVERY_POSITION, [number, convention])
            assert len(found) == len(board.positions)
            for index, (position, row) in enumerate(zip(board.positions, found, strict=True)):
                moves = board.game.moves(position)
                after = [board.positions.index(each) for _, each in moves]
                assert row["moves"] == [
                    board.game.describe_move(action, position) for action, _ in moves
                ]
                assert row["after"] == [words[each] for each in after]
                assert row["right"] == [not wins[each] for each in after]
                assert row["green"] == any(row["right"])
                assert row["label"] == f"{games.title(name)}: {words[index]}"
                if not moves:
                    assert ("You have won." in row["said"]) == wins[index]


STATE = """() => {
  const play = document.querySelector(".nim-play").nimPlay, at = play.at;
  return {at, over: play.isOver, mine: play.isMine, pointed: play.pointed, between: play.between,
          right: [...play.tables.right[at]].map((each) => each === "1"), won: play.tables.isWon(at),
          said: play.live.textContent, thrown: play.thrown.hidden ? "" : play.thrown.textContent};
}"""
PLACE = """(move) => {
  const play = document.querySelector(".nim-play").nimPlay;
  const left = (moves) =>
    moves.filter((each) => !play.between || play.between.includes(each)).length;
  // A second click at the same place plays what is shown.
  const points = play.board.clicks[play.at].filter(([point, ...moves]) =>
    moves.includes(move) && (point !== play.touched || play.pointed === move));
  points.sort(([one, ...these], [other, ...those]) =>
    (other === play.touched) - (one === play.touched) || left(these) - left(those));
  if (!points.length) return null;
  const [x, y] = play.board.points[points[0][0]];
  play.picture.scrollIntoView({ block: "center", behavior: "instant" });
  const place = new DOMPoint(x, y).matrixTransform(play.picture.getScreenCTM());
  return [place.x, place.y];
}"""


def choose(page, **settings):
    """Begin a game with these settings, by the lists on the page."""
    labels = {
        "board": "Board", "convention": "Last move", "seat": "You move", "opponent": "Opponent",
    }  # fmt: skip
    for setting, value in settings.items():
        page.get_by_label(labels[setting], exact=True).first.select_option(str(value))
    page.get_by_role("button", name="New game").first.click()


def by_clicks(page, move):
    """Make a move by clicks on the board, and by the list where these leave several moves."""
    past = "document.querySelector('.nim-play').nimPlay.past"
    before = page.evaluate(f"{past}.length")
    while place := page.evaluate(PLACE, move):
        between = page.evaluate(STATE)["between"]
        page.mouse.click(*place)
        if page.evaluate(f"{past}.length") > before:
            assert page.evaluate(f"{past}[{before}][1]") == move
            return
        state = page.evaluate(STATE)
        assert f"{len(state['between'])} moves there" in state["said"]
        if state["between"] == between:
            break
    page.locator(f".nim-play-moves button[data-move='{move}']").click()


def by_keys(page, move):
    """Make a move by keys on the board."""
    page.mouse.move(0, 0)
    page.locator(".nim-play-board").focus()
    key = "ArrowRight" if move % 2 else "ArrowLeft"
    page.keyboard.press(key)
    while page.evaluate(STATE)["pointed"] != move:
        page.keyboard.press(key)
    # What a screen reader says.
    label = page.locator(f".nim-play-moves button[data-move='{move}']").inner_text()
    assert page.evaluate(STATE)["said"].startswith(f"{label} (")
    page.keyboard.press("Enter")


def a_board_to_throw(name):
    """A board, by number, and a convention in which its start is won and one can err there."""
    for number, board in enumerate(boards(name).values()):
        misere = GAMES[name].misere
        for convention in (CONVENTIONS[misere], CONVENTIONS[not misere]):
            wins = winners(board, convention == "misere")
            after = {wins[each] for _, each in board.moves[0]}
            if after == {True, False}:
                return number, convention
    raise AssertionError(f"{name} has no such board")


@pytest.mark.parametrize(
    ("way", "width", "scheme"), [(by_clicks, 360, "dark"), (by_keys, 1600, "light")]
)
@pytest.mark.parametrize("name", PLAYED)
def test_a_game_is_won_and_one_is_thrown(visit, name, way, width, scheme):
    page = visit(f"games/{name}.html", width, scheme)
    board, convention = a_board_to_throw(name)
    choose(page, board=board, convention=convention, seat=0, opponent="random")
    while not (state := page.evaluate(STATE))["over"]:
        assert state["won"]
        way(page, state["right"].index(True))
    assert state["said"].endswith("You have won.")
    assert not state["thrown"]

    choose(page, opponent="optimal")
    state = page.evaluate(STATE)
    wrong = state["right"].index(False)
    kept = page.locator(".nim-play-moves button").nth(state["right"].index(True)).inner_text()
    way(page, wrong)
    assert "You threw the win here" in page.evaluate(STATE)["thrown"]
    assert f"{kept} kept it." in page.evaluate(STATE)["thrown"] or state["right"].count(True) > 1
    while not (state := page.evaluate(STATE))["over"]:
        way(page, random.Random(0).randrange(len(state["right"])))
    assert state["said"].endswith("You have lost.")
    page.get_by_role("button", name="Go back there").click()
    state = page.evaluate(STATE)
    assert (state["at"], state["mine"], state["thrown"]) == (0, True, "")
    way(page, state["right"].index(True))
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(STATE)["at"] == 0

    # Nothing is wider than the page.
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("opponent", ["optimal", "3"])
def test_the_second_player_is_answered_after_a_moment(visit, opponent):
    page = visit("games/nim.html", calm=False)
    choose(page, board=1, seat=1, opponent=opponent)
    assert not page.evaluate(STATE)["mine"]
    page.wait_for_function("document.querySelector('.nim-play').nimPlay.isMine")
    assert page.evaluate(STATE)["said"].startswith("The opponent: heap")


def test_hints_name_a_winning_move_or_that_there_is_none(visit):
    page = visit("games/nim.html")
    choose(page, board=0)
    page.get_by_role("button", name="Hint").click()
    assert page.evaluate(STATE)["said"] == "Hint: heap 0: take 2 wins."
    choose(page, board=1)
    page.get_by_role("button", name="Hint").click()
    assert page.evaluate(STATE)["said"].startswith("No move wins here")


AS_IN_A_NOTEBOOK = """async ([code, style, data]) => {
  document.body.replaceChildren();
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const module = await import(address);
  module.default.render({ model: { get: (name) => ({ data })[name] }, el: document.body });
}"""


def test_the_widget_of_notebooks_plays_to_a_draw_and_says_which_move_threw_one(visit):
    pytest.importorskip("anywidget")
    shown = widget(outcome_games.small_connect().game, {"first": lambda _, masks: masks.argmax(1)})
    page = visit("games/nim.html")
    page.goto("about:blank")  # without the manual's own scripts
    page.evaluate(AS_IN_A_NOTEBOOK, [shown._esm, shown._css, shown.data])
    assert not page.get_by_label("Last move").is_visible()
    # Right moves against a right opponent keep the draw to the end.
    choose(page, seat=1, opponent="optimal")
    while not (state := page.evaluate(STATE))["over"]:
        by_keys(page, state["right"].index(True))
    assert state["said"].endswith("It is a draw.")
    assert not state["thrown"]
    choose(page, opponent="0")
    while all((state := page.evaluate(STATE))["right"]):
        by_keys(page, 0)
    by_clicks(page, state["right"].index(False))
    assert "You threw the " in page.evaluate(STATE)["thrown"]


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("opponent", "glossary.html"),
        ("chomp", "games/chomp.html"),
        ("kayles", "games/kayles.html"),
        ("misère", "glossary.html"),
        ("solve", "commands.html"),
    ],
)
def test_the_search_finds_words_and_games_before_commands_and_these_before_the_api(
    site, browser, words, page
):
    context = browser.new_context()
    opened = context.new_page()
    opened.goto(f"{site}/index.html?q={words}")
    opened.wait_for_selector(".md-search-result__item > a", state="attached")
    found = opened.evaluate(
        "[...document.querySelectorAll('.md-search-result__item > a:first-child')]"
        ".map((each) => new URL(each.href).pathname.slice(1))"
    )
    context.close()
    later = ("reference/",) if page == "commands.html" else ("reference/", "commands.html")
    first = next((n for n, name in enumerate(found) if name.startswith(later)), len(found))
    assert page in found[:first]


def test_results_take_four_screens_and_no_page_is_wider_than_that_of_a_phone(site, browser):
    root = Path(os.environ["NIM_ENVS_SITE"])
    pages = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.html"))
    results = [name for name in pages if name.startswith(("results/", "commands"))]
    for width, names in ((1280, results), (375, pages)):
        context = browser.new_context(viewport={"width": width, "height": 900})
        opened = context.new_page()
        for name in names:
            opened.goto(f"{site}/{name}")
            size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            across, down = opened.evaluate(size)
            assert across <= width, name
            assert width == 375 or down <= 4 * 900, name
        context.close()


@pytest.mark.usefixtures("site")
def test_every_game_has_boards_of_at_most_60_kb_but_the_one_that_is_too_large():
    scripts = Path(os.environ["NIM_ENVS_SITE"], "games", "play")
    own = sum(len(gzip.compress(path.read_bytes())) for path in (SCRIPT, STYLE))
    for name in GAMES:
        found = boards(name)
        assert len(found) == (
            0 if name == "sum" else max(1, sum(game == name for game, *_ in play.BOARDS))
        )
        script = scripts / f"{name}.js"
        assert script.exists() == bool(found)
        assert not found or own + len(gzip.compress(script.read_bytes())) < 60_000, name


FETCHED = re.compile(
    r"<(?:img|script|link)\b(?! rel=.?canonical)[^>]*?\s(?:href|src)=.?(?:https?:)?//"
)


def test_pages_have_no_markup_left_and_fetch_nothing_from_elsewhere(site):
    results = Path(os.environ["NIM_ENVS_SITE"], "results", "index.html").read_text("utf-8")
    assert "MyLearner</span>" in results.partition("<summary>my_learner.py</summary>")[2]
    for path in Path(os.environ["NIM_ENVS_SITE"]).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert not FETCHED.search(page), path
        words = re.sub(r"<(pre|code|math)\b.*?</\1>", "", page, flags=re.DOTALL)
        assert not re.search(r":(?:class|func|meth|mod):`|&gt;&gt;&gt; |arithmatex", words), path
