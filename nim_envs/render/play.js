/* Boards of games that one plays on.

   It knows no rules: nim_envs/render/board_data.py makes, for every board, all positions with their
   moves, the pictures that nim_envs.render draws of them, the value of each position and the moves that
   keep it, and the moves of opponents. A page of the manual has elements <div class="nim-play"
   data-game="..." data-source="...">; the script at that source calls nimPlay(name, data). In a
   notebook nim_envs/render/notebook.py calls nimPlay.on(element, data). Nothing else is loaded. */
(function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const WAITING = new Map(); // elements by the name of their game, until its data has come
  const THINKING = 900; // milliseconds for which the opponent's move is shown before it is made
  const REACH = 30; // how far from a point a click still means it, in the picture's units
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /* Returns a new element with properties and children. */
  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  /* Returns an element of a picture. */
  function draw(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  }

  /* Returns a shape of nim_envs.render as an element. */
  function shown([kind, color, ...numbers], recolored) {
    color = recolored[color] || color;
    const painted = (width) =>
      width ? { fill: "none", stroke: color, "stroke-width": width } : { fill: color };
    const [a, b, c, d, e, f] = numbers;
    if (kind === "b") {
      const inner = f / 2; // frames lie inside the area
      return draw("rect", { x: a + inner, y: b + inner, width: c - f, height: d - f, rx: e, ...painted(f) });
    }
    if (kind === "d") {
      return draw("circle", { cx: a + c / 2, cy: b + d / 2, r: (c - e) / 2, ...painted(e) });
    }
    if (kind === "l") {
      return draw("line", { x1: a, y1: b, x2: c, y2: d, stroke: color, "stroke-width": e });
    }
    if (kind === "p") return draw("polygon", { points: numbers.join(" "), fill: color });
    const size = c * 0.84; // letters with their descenders are as high as c
    const anchor = ["start", "middle", "end"][Math.round(2 * d)];
    const text = draw("text", {
      x: a, y: b + c * (0.78 - e), "font-size": size, "text-anchor": anchor, fill: color,
    });
    text.textContent = f;
    return text;
  }

  /* Returns a list with new entries between its first `begin` and its last `end` ones. */
  function renewed(list, [begin, end, ...middle]) {
    return [...list.slice(0, begin), ...middle, ...list.slice(list.length - end)];
  }

  /* Returns the indices of the ones in a word of zeros and ones. */
  const ones = (word) => [...word].flatMap((each, index) => (each === "1" ? [index] : []));
  const any = (list) => list[Math.floor(Math.random() * list.length)];
  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  /* The tables of one board in one convention. */
  class Tables {
    constructor(board, convention) {
      const truth = board.truths[convention];
      this.board = board;
      this.right = truth.right.split(" ");
      this.values = truth.values;
      this.marks = truth.marks;
      this.learned = truth.learned.map((text) => text.split(" "));
    }

    count(position) { return this.board.moves[position].length / 2; }
    after(position, move) { return this.board.moves[position][2 * move + 1]; }
    label(position, move) { return this.board.labels[this.board.moves[position][2 * move]]; }
    isRight(position, move) { return this.right[position][move] === "1"; }

    /* Returns what the player to move gets by right play: -1, 0 or 1. */
    value(position) { return Number(this.values[position]) - 1; }

    isWon(position) { return this.value(position) === 1; }

    plain(position) {
      const [first, ...others] = this.board.plain;
      return position ? renewed(first, others[position - 1]) : first;
    }

    marked(position) {
      const mark = this.marks[position];
      return mark ? renewed(this.plain(position), mark) : this.plain(position);
    }

    pointed(position, move) {
      return renewed(this.plain(position), this.board.pointed[position][move]);
    }

    /* Returns the point that a click means, and the moves that it chooses, or chooses between. */
    near(position, x, y) {
      let best = REACH, nearest = [null];
      for (const each of this.board.clicks[position]) {
        const [left, top] = this.board.points[each[0]];
        const distance = Math.hypot(left - x, top - y);
        if (distance < best) [best, nearest] = [distance, each];
      }
      return nearest;
    }

    /* Returns the move of an opponent: "optimal", "random", or the index of a learner. */
    reply(position, opponent) {
      const all = [...Array(this.count(position)).keys()];
      if (opponent === "random") return any(all);
      const rows = opponent === "optimal" ? this.right : this.learned[opponent];
      const best = ones(rows[position]);
      return any(best.length ? best : all);
    }
  }

  /* A board on a page. */
  class Play {
    constructor(root, data) {
      this.root = root;
      this.data = data;
      this.id = `nim-play-${Math.random().toString(36).slice(2)}`; // a page may hold this script twice
      root.classList.add("nim-play");
      root.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves keys to the board
      this.build();
      this.restart();
      root.nimPlay = this;
    }

    build() {
      const data = this.data;
      const select = (label, options, chosen) => {
        const list = make("select", {});
        options.forEach(([value, text]) => list.append(make("option", { value, textContent: text })));
        list.value = chosen;
        list.setAttribute("aria-label", label);
        list.addEventListener("change", () => this.restart());
        this.settings.append(make("label", {}, make("span", { textContent: label }), list));
        return list;
      };
      const button = (text, act, parent) => {
        const made = make("button", { type: "button", textContent: text });
        made.addEventListener("click", act);
        (parent || this.buttons).append(made);
        return made;
      };
      this.settings = make("div", { className: "nim-play-settings" });
      this.boardChoice = select("Board", data.boards.map((each, index) => [index, each.name]), 0);
      this.conventionChoice = select(
        "Last move", Object.entries(data.conventions), data.convention,
      );
      const fixed = Object.keys(data.conventions).length === 1;
      this.conventionChoice.parentElement.hidden = fixed;
      this.boardChoice.parentElement.hidden = data.boards.length === 1;
      this.seatChoice = select("You move", [["0", "first"], ["1", "second"]], "0");
      const learned = data.opponents.map((name, index) => [index, name]);
      this.opponentChoice = select(
        "Opponent", [["optimal", "optimal"], ["random", "random"], ...learned], "optimal",
      );
      this.picture = draw("svg", {
        class: "nim-play-board", tabindex: "0", role: "application",
        "aria-describedby": `${this.id}-keys`,
      });
      this.picture.addEventListener("click", (event) => this.clicked(event));
      this.picture.addEventListener("pointermove", (event) => this.hovered(event));
      this.picture.addEventListener("pointerleave", () => this.between || this.point(null));
      this.picture.addEventListener("keydown", (event) => this.pressed(event));
      this.live = make("p", { className: "nim-play-live" });
      this.live.setAttribute("aria-live", "polite");
      this.thrown = make("div", { className: "nim-play-thrown", hidden: true });
      this.thrown.setAttribute("role", "status");
      this.thrownText = make("span", {});
      this.thrown.append(this.thrownText);
      button("Go back there", () => this.goBack(), this.thrown);
      this.buttons = make("div", { className: "nim-play-buttons" });
      button("Hint", () => this.hint());
      this.marking = button("Winning moves", () => this.mark(!this.marks));
      this.undoing = button("Undo", () => this.undo());
      button("New game", () => this.restart());
      this.moves = make("ul", { className: "nim-play-moves" });
      this.moves.setAttribute("aria-label", "Your moves");
      this.moves.addEventListener("pointerleave", () => {
        this.point(this.between ? this.between[0] : null);
      });
      this.log = make("p", { className: "nim-play-log" });
      const keys = make("p", {
        id: `${this.id}-keys`, className: "nim-play-keys",
        textContent: "Click on the board or on a move; or arrow keys on the board, then Enter.",
      });
      this.root.replaceChildren(
        this.settings,
        make("div", { className: "nim-play-table" },
          make("div", {}, this.picture, keys),
          make("div", { className: "nim-play-side" },
            this.live, this.thrown, this.buttons, this.moves, this.log)),
      );
    }

    /* Begins a game with the settings that are chosen. */
    restart() {
      this.board = this.data.boards[this.boardChoice.value];
      this.tables = new Tables(this.board, this.conventionChoice.value);
      this.picture.setAttribute("viewBox", this.board.view.join(" "));
      this.seat = Number(this.seatChoice.value);
      this.mark(false, true);
      this.past = []; // a position and the move made there, for each move
      this.threw = null; // index of the last turn that gave a win or a draw away
      this.go(0);
    }

    get mover() { return this.past.length % 2; }
    get isOver() { return this.tables.count(this.at) === 0; }
    get isMine() { return this.mover === this.seat && !this.isOver; }

    /* Shows a position; what is said follows the last moves. */
    go(position, before = "") {
      clearTimeout(this.timer);
      this.at = position;
      this.pointed = this.between = this.touched = null;
      this.show();
      const words = `${capital(this.board.words[position])}.`;
      if (this.isOver) {
        const value = this.tables.value(position) * (this.mover === this.seat ? 1 : -1);
        this.say(before, ["You have lost.", "It is a draw.", "You have won."][value + 1]);
      } else if (this.isMine) {
        const number = this.tables.count(position);
        this.say(before, words, `Your turn: ${number} legal ${number === 1 ? "move" : "moves"}.`);
      } else {
        this.say(before, words, "The opponent’s turn.");
        const move = this.tables.reply(position, this.opponentChoice.value);
        if (calm()) return this.play(move);
        // A moment to see the position, then the move, then what it leads to.
        this.timer = setTimeout(() => {
          this.point(move);
          this.timer = setTimeout(() => this.play(move), THINKING);
        }, THINKING / 3);
      }
    }

    say(...sentences) { this.live.textContent = sentences.filter(Boolean).join(" "); }

    /* Makes a move of whoever is to move. */
    play(move) {
      const position = this.at, mine = this.isMine;
      const label = this.tables.label(position, move);
      if (mine && this.tables.value(position) >= 0 && !this.tables.isRight(position, move)) {
        this.threw = this.past.length;
      }
      this.past.push([position, move]);
      this.go(this.tables.after(position, move), `${mine ? "You" : "The opponent"}: ${label}.`);
    }

    /* Points at one of the own moves, or at none. */
    point(move) {
      if (move === this.pointed) return;
      this.pointed = move;
      this.paint();
      [...this.moves.querySelectorAll("button")].forEach((button) => {
        button.classList.toggle("nim-play-pointed", Number(button.dataset.move) === move);
      });
    }

    hint() {
      if (!this.isMine) return;
      const right = ones(this.tables.right[this.at]);
      if (right.length) {
        this.point(right[0]);
        const does = this.tables.isWon(this.at) ? "wins" : "keeps the draw";
        this.say(`Hint: ${this.tables.label(this.at, right[0])} ${does}.`);
      } else {
        this.say("No move wins here: each loses against right play.");
      }
    }

    mark(marks, silent) {
      this.marks = marks;
      this.marking.setAttribute("aria-pressed", marks);
      if (silent) return;
      this.show();
      const right = ones(this.tables.right[this.at]).map((move) => this.tables.label(this.at, move));
      if (marks && this.isMine) {
        const name = this.tables.isWon(this.at) ? "Winning" : "For a draw";
        this.say(right.length ? `${name}: ${right.join("; ")}.` : "No move wins here.");
      }
    }

    /* Goes back to one's own last turn. */
    undo() {
      let turn = this.past.length - 1;
      while (turn >= 0 && turn % 2 !== this.seat) turn -= 1;
      if (turn >= 0) this.backTo(turn, "Undone.");
    }

    goBack() { this.backTo(this.threw, "Back again."); this.picture.focus(); }

    backTo(turn, words) {
      const [position] = this.past[turn];
      this.past.length = turn;
      if (this.threw !== null && this.threw >= turn) this.threw = null;
      this.go(position, words);
    }

    show() {
      this.paint();
      const { tables, at } = this;
      this.moves.replaceChildren();
      if (this.isMine) {
        for (let move = 0; move < tables.count(at); move++) {
          const button = make("button", { type: "button", textContent: tables.label(at, move) });
          button.dataset.move = move;
          if (this.marks && tables.isRight(at, move)) {
            button.classList.add("nim-play-wins");
            const tag = tables.isWon(at) ? "wins" : "draws";
            button.append(make("span", { className: "nim-play-tag", textContent: tag }));
          }
          button.addEventListener("click", () => { this.play(move); this.picture.focus(); });
          button.addEventListener("focus", () => this.point(move));
          button.addEventListener("pointermove", () => this.point(move));
          const hidden = this.between !== null && !this.between.includes(move);
          this.moves.append(make("li", { hidden }, button));
        }
      }
      this.undoing.disabled = !this.past.some((_, turn) => turn % 2 === this.seat);
      const record = this.past.map(([position, move], turn) => {
        const who = turn % 2 === this.seat ? "you" : "opponent";
        return `${turn + 1}. ${who}: ${tables.label(position, move)}`;
      });
      this.log.textContent = record.length ? `The game so far: ${record.join(" · ")}` : "";
      this.thrown.hidden = this.threw === null;
      if (this.threw !== null) {
        const [position, move] = this.past[this.threw];
        const kept = ones(tables.right[position]).map((each) => tables.label(position, each));
        const others = kept.length > 2 ? `, and ${kept.length - 2} more,` : "";
        this.thrownText.textContent =
          `You threw the ${tables.isWon(position) ? "win" : "draw"} here ` +
          `(${tables.label(position, move)}): ` +
          `${kept.slice(0, 2).join("; ")}${others} kept it. `;
      }
    }

    /* Draws the position, with the winning moves or the move that is pointed at. */
    paint() {
      const { tables, at, board } = this;
      let numbers = tables.plain(at);
      if (this.pointed !== null) numbers = tables.pointed(at, this.pointed);
      else if (this.marks && this.isMine) numbers = tables.marked(at);
      const recolored = this.mover === 1 ? board.partner : {};
      this.picture.replaceChildren(...numbers.map((each) => shown(board.shapes[each], recolored)));
      this.picture.setAttribute("aria-label", `${this.data.title}: ${board.words[at]}`);
    }

    /* Shows all moves again, and points at none. */
    forget() {
      this.between = this.touched = null;
      this.point(null);
      this.show();
    }

    movesAt(event) {
      const matrix = this.picture.getScreenCTM();
      if (!matrix || !this.isMine) return [null];
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      return this.tables.near(this.at, x, y);
    }

    /* A click plays the move that it means. Where it means several, a click elsewhere decides, or a
       second one at the same place for the move that is shown. */
    clicked(event) {
      const [place, ...moves] = this.movesAt(event);
      if (!moves.length) return this.forget();
      if (place === this.touched && this.pointed !== null) return this.play(this.pointed);
      const both = this.between ? moves.filter((move) => this.between.includes(move)) : moves;
      if (both.length === 1) return this.play(both[0]);
      this.between = both.length ? both : moves;
      this.touched = place;
      this.show();
      this.point(null);
      this.point(this.between[0]);
      this.say(
        `${this.between.length} moves there. Click again for ` +
        `${this.tables.label(this.at, this.pointed)}, or where else the move goes, or choose below.`,
      );
    }

    hovered(event) {
      if (event.pointerType === "touch") return;
      const [, ...moves] = this.movesAt(event);
      this.picture.style.cursor = moves.length ? "pointer" : "default";
      if (!this.isMine || this.between) return;
      this.point(moves.length === 1 ? moves[0] : null);
    }

    pressed(event) {
      event.stopPropagation(); // a notebook has other uses for keys
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && this.isMine) {
        const moves = this.between || [...Array(this.tables.count(this.at)).keys()];
        const index = moves.indexOf(this.pointed);
        const next = index < 0 ? (step > 0 ? 0 : moves.length - 1) : index + step;
        this.point(moves[(next + moves.length) % moves.length]);
        const place = moves.indexOf(this.pointed) + 1;
        const marked = this.marks && this.tables.isRight(this.at, this.pointed);
        const wins = marked ? (this.tables.isWon(this.at) ? ", wins" : ", draws") : "";
        this.say(`${this.tables.label(this.at, this.pointed)}${wins} (${place} of ${moves.length}).`);
        event.preventDefault();
      } else if (event.key === "Enter" || event.key === " ") {
        if (this.isMine && this.pointed !== null) this.play(this.pointed);
        event.preventDefault();
      } else if (event.key === "Escape") this.forget();
    }
  }

  /* Called by the script of a game, in the manual. */
  window.nimPlay = function (name, data) {
    for (const root of WAITING.get(name) || []) new Play(root, data);
    WAITING.delete(name);
  };

  /* Called with the data of a game, in a notebook. */
  window.nimPlay.on = (root, data) => new Play(root, data);

  function start() {
    for (const root of document.querySelectorAll(".nim-play[data-source]")) {
      const name = root.dataset.game;
      if (!WAITING.has(name)) {
        WAITING.set(name, []);
        document.head.append(make("script", { src: root.dataset.source }));
      }
      WAITING.get(name).push(root);
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
