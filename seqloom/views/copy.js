// Buttons that copy: `<button data-copies="id">` takes the text of the element with that id.

/** Bring the copy buttons below `root` to life; what they say when they have copied, and when the reader has to. */
export function copyButtons(root, [done, selected] = ["Copied", "Selected: press Ctrl+C"]) {
  for (const button of root.querySelectorAll("[data-copies]")) {
    const says = button.textContent;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copies);
      button.textContent = (await copied(source)) ? done : selected;
      setTimeout(() => (button.textContent = says), 2000);
    });
  }
}

/** Copy the text, or, where a frame forbids it, select it for the reader to copy. */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    source.closest("details")?.setAttribute("open", "");
    getSelection().selectAllChildren(source);
    return false;
  }
}
