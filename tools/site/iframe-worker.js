// The search runs in a worker, which browsers do not start for pages opened from a folder: there, a frame does its work.
// What is called exactly as the words looked for comes first.
{
  const NativeWorker = window.Worker;

  function startFrame(url, answer) {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.srcdoc = "<!doctype html><title>search</title>";
    const inside = new Promise(resolve => frame.addEventListener("load", () => {
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => resolve(frame.contentWindow);
      frame.contentWindow.postMessage = answer;
      frame.contentDocument.head.append(script);
    }, { once: true }));
    document.documentElement.append(frame);
    return data => inside.then(window => window.dispatchEvent(new MessageEvent("message", { data })));
  }

  function startWorker(url, answer) {
    const worker = new NativeWorker(url);
    worker.onmessage = event => answer(event.data);
    return data => worker.postMessage(data);
  }

  function exactFirst(pages, query) {
    const best = Math.max(0, ...pages.flat().map(part => part.score));
    for (const part of pages.flat())
      if (part.title.replace(/<[^>]*>/g, "") === query) part.score += best;
    for (const parts of pages) parts.sort((a, b) => b.score - a.score);
    return pages.sort((a, b) => b[0].score - a[0].score);
  }

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const start = location.protocol === "file:" ? startFrame : startWorker;
      this.send = start(url, data => {
        if (data.type === 3) data.data.items = exactFirst(data.data.items, this.query);
        this.dispatchEvent(new MessageEvent("message", { data }));
      });
    }
    postMessage(data) {
      if (data.type === 2) this.query = data.data.trim();
      this.send(data);
    }
  };
}
