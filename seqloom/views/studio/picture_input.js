// What a model that reads pictures is asked with: a picture from the reader's disk, dropped on the page, or an example.

import { element } from "seqloom/dom.js";
import { Trouble } from "seqloom/studio/api.js";

const AS_IT_IS = 300_000; // bytes of a file that is sent as it is
const SIDE = 640; // pixels of the longer side of a larger one, which is scaled down before it is sent
const QUALITY = 0.92;

/** `studio` as in views.js; the picture that was chosen becomes the text of the state. */
export function pictureInput(place, studio) {
  const { state, api } = studio;
  const file = element("input", { type: "file", accept: "image/*", class: "spoken", tabindex: -1, "aria-hidden": "true" });
  const image = element("img", { class: "asked-picture", alt: "" });
  const choose = element("button", { type: "button", onclick: () => file.click() });
  place.replaceChildren(element("span", { class: "choices" }, choose, file));

  file.addEventListener("change", () => file.files[0] && take(file.files[0]).finally(() => (file.value = "")));
  const reads = () => !place.hidden;
  addEventListener("dragover", (event) => reads() && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!reads()) return;
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });

  /** The server says how the model sees the picture: that is what an address can hold. */
  async function take(chosen) {
    try {
      const found = await api.post("api/inspect", { model: state.now.model || null, text: await encoded(chosen) }, "picture");
      if (found) studio.write(found.picture.image);
    } catch (error) {
      studio.say(error instanceof Trouble ? error.message : studio.words.ask.no_picture);
    }
  }

  return {
    /** Follow the model that is chosen, and what was read last. */
    show(there, run) {
      place.hidden = !there;
      choose.textContent = studio.words.ask.choose;
      if (!there || !run?.picture) return image.remove();
      image.src = run.picture.image;
      image.alt = studio.words.ask.picture;
      place.prepend(image);
    },
  };
}

/** A file as an address that carries it; a large photo is scaled down here, not sent whole. */
async function encoded(file) {
  const bitmap = await createImageBitmap(file); // what is no picture fails here
  if (file.size <= AS_IT_IS) return read(file);
  const ratio = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.max(1, Math.round(bitmap.width * ratio)), Math.max(1, Math.round(bitmap.height * ratio))];
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", QUALITY);
}

function read(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}
