// Runs in the labeling page before its own code: how long each frame takes while something is scrolled through.
window.frames = {
  // Scrolls what holds `start`, 300 pixels a frame, for up to 240 frames; the milliseconds between two frames.
  scroll(start) {
    const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY);
    let holder = start.parentElement;
    while (holder && !scrolls(holder)) holder = holder.parentElement;
    const moved = holder ?? document.scrollingElement;
    return new Promise((resolve) => {
      const took = [];
      let before = null;
      const step = (now) => {
        if (before !== null) took.push(now - before);
        before = now;
        const top = moved.scrollTop;
        moved.scrollTop += 300;
        if (took.length < 240 && moved.scrollTop > top) requestAnimationFrame(step);
        else resolve(took);
      };
      requestAnimationFrame(step);
    });
  },
};
