"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const SVG = "http://www.w3.org/2000/svg";

  const make = (name, text, className) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const draw = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const within = (value, low, high) => Math.max(low, Math.min(high, value));

  // The one box that says what lies under the pointer or the keyboard's cursor.
  const tell = (x, y, lines) => {
    tip.replaceChildren(...lines.map((line) => make("p", line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = x + 14 + box.width < window.innerWidth;
    tip.style.left = `${within(right ? x + 14 : x - 14 - box.width, 4, Math.max(4, window.innerWidth - box.width - 4))}px`;
    tip.style.top = `${within(y - box.height - 10, 4, Math.max(4, window.innerHeight - box.height - 4))}px`;
  };
  const hush = () => { tip.hidden = true; };

  const marked = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  document.addEventListener("pointerover", (event) => {
    const element = marked(event);
    if (element) tell(event.clientX, event.clientY, [element.dataset.tip]);
  });
  document.addEventListener("pointerout", (event) => {
    if (marked(event) && event.pointerType === "mouse") hush();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!(event.target instanceof Element && event.target.closest("[data-tip], .chart"))) hush();
  });
  window.addEventListener("scroll", hush, { passive: true });

  // Tabs: one stop for the Tab key, arrows between them.
  const tabs = (group) => {
    const list = group.querySelector(":scope > [role=tablist]");
    const buttons = [...list.children];
    const panels = buttons.map((button) => document.getElementById(button.getAttribute("aria-controls")));
    const choose = (chosen) => buttons.forEach((button, index) => {
      button.setAttribute("aria-selected", String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    });
    buttons.forEach((button, index) => button.addEventListener("click", () => choose(index)));
    list.addEventListener("keydown", (event) => {
      const now = buttons.indexOf(document.activeElement);
      const last = buttons.length - 1;
      const next = { ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now === 0 ? last : now - 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
      buttons[next].focus();
    });
    choose(0);
  };
  document.querySelectorAll(".tabs").forEach(tabs);
  document.documentElement.classList.add("js");

  // Where in a drawing's own units an event or a place on the screen lies.
  const inside = (svg, event) => {
    const box = svg.getBoundingClientRect();
    const factor = svg.viewBox.baseVal.width / box.width;
    return [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
  };
  const outside = (svg, x, y) => {
    const box = svg.getBoundingClientRect();
    const factor = box.width / svg.viewBox.baseVal.width;
    return [box.left + x * factor, box.top + y * factor];
  };

  // Lines: the values of all of them at a place, such as an epoch.
  const nearest = (places, wanted) => {
    let low = 0;
    let high = places.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (places[middle] > wanted) high = middle; else low = middle;
    }
    return wanted - places[low] <= places[high] - wanted ? low : high;
  };
  const curves = (svg) => {
    const { along, exact, names, x: [low, high, start, end, logarithmic], lines } = data.curves[svg.dataset.curves];
    const position = (value) => (logarithmic ? Math.log10(value) : value);
    const [first, last] = [position(low), position(high)];
    const longest = lines.reduce((best, line) => (line.x.length > best.x.length ? line : best));
    const cursor = svg.querySelector(".at");
    let place = -1;
    const show = (index) => {
      place = index;
      const here = longest.x[index];
      const told = [`${along} ${names.length ? names[here] : here}`];
      for (const line of lines) {
        const at = nearest(line.x, here);
        if (Math.abs(line.x[at] - here) > (exact ? 0 : Math.max(line.each, longest.each))) continue;
        const range = line.low[at] === line.high[at] ? "" : ` (${line.low[at]} to ${line.high[at]}`
          + (line.seeds[at] > 1 ? `, ${line.seeds[at]} seeds)` : ")");
        told.push(`${line.name}: ${line.mean[at]}${range}`);
      }
      const x = start + ((position(here) - first) / (last - first)) * (end - start);
      cursor.setAttribute("transform", `translate(${x} 0)`);
      cursor.setAttribute("visibility", "visible");
      tell(...outside(svg, x, 70), told);
    };
    const leave = () => { cursor.setAttribute("visibility", "hidden"); hush(); };
    const follow = (event) => {
      const [x] = inside(svg, event);
      const wanted = first + ((x - start) / (end - start)) * (last - first);
      show(nearest(longest.x, logarithmic ? 10 ** wanted : wanted));
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (event.key === "Escape") leave();
      if (step === undefined) return;
      event.preventDefault();
      show(within(place < 0 ? (step > 0 ? 0 : longest.x.length - 1) : place + step, 0, longest.x.length - 1));
    });
  };
  document.querySelectorAll("svg[data-curves]").forEach(curves);

  // Matrices: the cell under the pointer.
  const matrix = (svg) => {
    const { grid: [left, top, width, height], axes, rows, columns, cells } = data.matrices[svg.dataset.matrix];
    const frame = svg.querySelector("rect.cursor");
    let [row, column] = [0, 0];
    const show = () => {
      frame.setAttribute("x", left + column * width);
      frame.setAttribute("y", top + row * height);
      frame.setAttribute("visibility", "visible");
      tell(...outside(svg, left + (column + 1) * width, top + row * height), [
        `${axes[0]}: ${rows[row]}`, `${axes[1]}: ${columns[column]}`, cells[row][column] || "0",
      ]);
    };
    const leave = () => { frame.setAttribute("visibility", "hidden"); hush(); };
    const follow = (event) => {
      const [x, y] = inside(svg, event);
      const at = [Math.floor((y - top) / height), Math.floor((x - left) / width)];
      if (at[0] < 0 || at[1] < 0 || at[0] >= rows.length || at[1] >= columns.length) return leave();
      [row, column] = at;
      return show();
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (event.key === "Escape") leave();
      if (step === undefined) return;
      event.preventDefault();
      if (frame.getAttribute("visibility") === "visible") {
        row = within(row + step[0], 0, rows.length - 1);
        column = within(column + step[1], 0, columns.length - 1);
      }
      show();
    });
  };
  document.querySelectorAll("svg[data-matrix]").forEach(matrix);

  // The graph: who a node hears, how far away they are, and how it weighs its hops.
  const network = (svg) => {
    const { places, edges, hops, nodes } = data.networks[svg.dataset.network];
    const drawn = [...svg.querySelectorAll(".node")];
    const lit = svg.querySelector(".lit");
    const detail = svg.parentElement.querySelector(".detail");
    const heard = nodes.map(() => []);
    for (const [source, target] of edges) heard[target].push(source);

    const distances = (node) => {
      const found = nodes.map(() => Infinity);
      found[node] = 0;
      const waiting = [node];
      for (const member of waiting) {
        for (const other of heard[member]) {
          if (found[other] === Infinity) {
            found[other] = found[member] + 1;
            waiting.push(other);
          }
        }
      }
      return found;
    };
    const arrow = (from, to) => {
      const [[x1, y1], [x2, y2]] = [places[from], places[to]];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
      const radius = Number(drawn[to].querySelector("circle").getAttribute("r")) + 2;
      const [x, y] = [x2 - ux * radius, y2 - uy * radius];
      const head = `M${x} ${y}L${x - 7 * ux - 3.5 * uy} ${y - 7 * uy + 3.5 * ux}L${x - 7 * ux + 3.5 * uy} ${y - 7 * uy - 3.5 * ux}Z`;
      return [draw("line", { x1, y1, x2: x - 5 * ux, y2: y - 5 * uy }), draw("path", { d: head })];
    };
    const bars = (weights, numbers, layer) => {
      const top = Math.max(...weights.map(Math.abs)) || 1;
      const rows = weights.map((weight, index) => {
        const row = make("div", undefined, "bar");
        const track = make("span", undefined, "track");
        const fill = make("span", undefined, "fill");
        fill.style.width = `${(100 * Math.abs(weight)) / top}%`;
        track.append(fill);
        row.append(make("span", `hop ${numbers[index]}`), track, make("span", weight.toFixed(3), "value"));
        return row;
      });
      return [make("h4", `Hop weights of layer ${layer + 1}`), ...rows];
    };
    const describe = (index) => {
      const node = nodes[index];
      const facts = make("dl");
      const fact = (name, value) => facts.append(make("dt", name), make("dd", value));
      fact("predicted", node.sure === null ? node.predicted : `${node.predicted} (${(100 * node.sure).toFixed(1)} %)`);
      fact("true", node.true);
      if (node.part) fact("part", node.part);
      fact("hears", `${node.degree} node${node.degree === 1 ? "" : "s"}`);
      const weights = node.hops.flatMap((layer, place) => bars(layer, hops[place], place));
      detail.replaceChildren(make("h4", `Node ${node.name}`), facts,
        ...(weights.length ? weights : [make("p", "In this model nodes do not weigh hops.", "note")]));
    };
    const clear = () => {
      drawn.forEach((element) => {
        element.classList.remove("chosen", "far");
        element.style.removeProperty("--near");
        element.setAttribute("aria-pressed", "false");
      });
      lit.replaceChildren();
      detail.replaceChildren(make("p", "Choose a node.", "note"));
    };
    const choose = (index) => {
      clear();
      const far = distances(index);
      drawn.forEach((element, other) => {
        const near = far[other] === Infinity ? 10 : within(115 - 15 * far[other], 25, 100);
        element.style.setProperty("--near", `${near}%`);
        element.classList.toggle("far", near < 80);
      });
      drawn[index].classList.add("chosen");
      drawn[index].setAttribute("aria-pressed", "true");
      lit.replaceChildren(...heard[index].flatMap((source) => arrow(source, index)));
      describe(index);
    };
    const focus = (index) => {
      drawn.forEach((element, other) => { element.setAttribute("tabindex", other === index ? "0" : "-1"); });
      drawn[index].focus();
    };
    svg.addEventListener("click", (event) => {
      const element = event.target.closest(".node");
      if (element) choose(Number(element.dataset.node)); else clear();
    });
    svg.addEventListener("keydown", (event) => {
      const now = drawn.indexOf(document.activeElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") clear();
      if (now < 0) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(now);
      } else if (step !== undefined) {
        event.preventDefault();
        focus((now + step + drawn.length) % drawn.length);
      }
    });
    svg.addEventListener("pointerover", (event) => {
      const element = event.target.closest(".node");
      if (element) tell(event.clientX, event.clientY, [element.getAttribute("aria-label")]);
    });
    svg.addEventListener("pointerout", hush);
    const centre = drawn.findIndex((element) => element.classList.contains("centre"));
    if (centre >= 0) choose(centre); else clear();
  };
  document.querySelectorAll("svg[data-network]").forEach(network);

  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", () => {
    const code = document.getElementById(button.dataset.copy);
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const done = () => { button.textContent = "Copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, () => { button.textContent = "Selected"; });
    else button.textContent = "Selected";
  }));
})();
