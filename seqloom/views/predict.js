// The page of the server: send a text, show the answer.

export function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("ask");
  const state = document.getElementById("state");
  const answer = document.getElementById("answer");
  let models = [];

  const headers = () => ({
    "content-type": "application/json",
    ...(data.key ? { authorization: `Bearer ${form.key.value}` } : {}),
  });
  const about = () => {
    const model = models.find((one) => one.name === form.model.value);
    document.getElementById("about").textContent = model ? `${model.task}, ${model.model}${languages(model)}` : "";
  };
  const offer = (found) => {
    models = found;
    form.model.replaceChildren(...found.map((one) => new Option(one.name)));
    about();
  };
  form.model.addEventListener("change", about);
  offer(data.models);
  if (data.key) {
    document.getElementById("key").hidden = false;
    form.key.addEventListener("change", async () => {
      const response = await fetch("api/models", { headers: headers() });
      if (response.ok) offer(await response.json());
    });
  }

  form.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.text.value.trim()) return;
    const button = form.querySelector("button");
    button.disabled = true;
    state.textContent = "…";
    const began = performance.now();
    try {
      const body = JSON.stringify({ model: form.model.value || null, text: form.text.value });
      const response = await fetch("api/predict", { method: "POST", headers: headers(), body });
      const found = await response.json();
      state.textContent = response.ok ? `${Math.round(performance.now() - began)} ms` : "";
      answer.replaceChildren(...(response.ok ? shown(found.answers[0]) : [line(found.error.message, "wrong")]));
    } catch {
      state.textContent = "";
      answer.replaceChildren(line("The server does not answer.", "wrong"));
    } finally {
      button.disabled = false;
    }
  });
}

function languages(model) {
  const both = [model.source_language, model.target_language].filter((code) => code !== "und");
  return both.length ? `, ${both.join(" → ")}` : "";
}

// A text as it is; probabilities of labels as bars; tags under their words.
function shown(answer) {
  if (answer.tags) return answer.tokens.map((word, place) => tagged(word, answer.tags[place]));
  if (answer.label !== undefined || answer.labels) {
    const sorted = Object.entries(answer.scores).sort((a, b) => b[1] - a[1]);
    return sorted.slice(0, 10).map(([label, probability]) => bar(label, probability));
  }
  return [line(String(answer.number ?? answer.text))];
}

function line(text, kind = "text") {
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  return made;
}

function bar(label, probability) {
  const made = document.createElement("div");
  const meter = document.createElement("meter");
  meter.value = probability;
  made.className = "probability";
  made.append(label, meter, `${(100 * probability).toFixed(1)} %`);
  return made;
}

function tagged(word, tag) {
  const made = document.createElement("ruby");
  const below = document.createElement("rt");
  below.textContent = tag;
  made.append(word, below);
  return made;
}
