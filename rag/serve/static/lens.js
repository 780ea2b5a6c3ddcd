// A part of a drawing, larger: by wheel, by dragging, by buttons and by keys.

const STEP = 1.4;
const NEAREST = 24; // times the size of the whole
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function lens(frame, svg) {
  const { x, y, width, height } = svg.viewBox.baseVal;
  const whole = { x, y, width, height };
  let seen = { ...whole };

  function see(wanted) {
    const width = Math.min(Math.max(wanted.width, whole.width / NEAREST), whole.width);
    const height = (width * whole.height) / whole.width;
    const within = (at, least, room) => Math.min(Math.max(at, least), least + room);
    seen = {
      x: within(wanted.x, whole.x, whole.width - width),
      y: within(wanted.y, whole.y, whole.height - height),
      width,
      height,
    };
    svg.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
    const shrunk = seen.width / whole.width; // words keep their size, marks grow a little
    svg.style.setProperty("--word", shrunk);
    svg.style.setProperty("--mark", Math.sqrt(shrunk));
    frame.dataset.scale = (whole.width / seen.width).toFixed(2);
  }

  // By a factor, so that what is at a share (u, v) of the frame stays there.
  function zoom(factor, u = 0.5, v = 0.5) {
    const width = Math.min(Math.max(seen.width / factor, whole.width / NEAREST), whole.width);
    const height = (width * whole.height) / whole.width;
    see({ x: seen.x + u * (seen.width - width), y: seen.y + v * (seen.height - height), width });
  }

  const move = (u, v) => see({ ...seen, x: seen.x + u * seen.width, y: seen.y + v * seen.height });

  const share = (event) => {
    const box = svg.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };

  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !frame.contains(document.activeElement)) return; // the page scrolls
      event.preventDefault();
      zoom(event.deltaY < 0 ? STEP : 1 / STEP, ...share(event));
    },
    { passive: false },
  );

  let held = null;
  frame.addEventListener("pointerdown", (event) => {
    held = event.isPrimary && seen.width < whole.width ? share(event) : null;
  });
  frame.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    const [u, v] = share(event);
    if (Math.hypot(u - held[0], v - held[1]) < 0.01) return; // a click that trembles
    if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
    move(held[0] - u, held[1] - v);
    held = [u, v];
  });

  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") see(whole);
    else if (ARROWS[event.key]) move(...ARROWS[event.key].map((way) => way / 8));
    else return;
    event.preventDefault();
  });

  return { nearer: () => zoom(STEP), farther: () => zoom(1 / STEP), whole: () => see(whole) };
}
