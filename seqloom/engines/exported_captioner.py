"""An exported model that describes pictures, opened without torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.exported import ExportedModel
from seqloom.engines.settings import EngineMetadata
from seqloom.tasks.caption.answers import caption_of
from seqloom.tasks.caption.inputs import named_pixels
from seqloom.tasks.caption.options import CaptionOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tokens.tokenizer import Tokenizer


class ExportedCaptioner(ExportedModel):
    """A model that describes pictures."""

    task_name, Options = "caption", CaptionOptions

    def __init__(self, writer: SequenceWriter, tokenizer: Tokenizer, facts: EngineMetadata) -> None:
        super().__init__(facts)
        self.writer, self.tokenizer = writer, tokenizer
        self.height, self.width, self.colours, *grid, self.longest = facts.picture
        self.grid = (grid[0], grid[1])

    def answer_steps(self, requests: Sequence[TaskRequest], options: CaptionOptions) -> Iterator[Sequence[Reply]]:
        limited = options.model_copy(update={"max_length": options.limit(self.longest)})
        begin = prefix_tokens(self.tokenizer, options.prefix)
        for first in range(0, len(requests), self.writer.at_once):
            batch = requests[first : first + self.writer.at_once]
            pictures = [named_pixels(one.input, self.width, self.height, self.colours) for one in batch]
            for found in self.writer.write_steps([pixels for _, pixels in pictures], batch, begin, limited):
                yield [
                    Reply(first + number, caption_of(*pictures[number], self.grid, sequences, self.tokenizer), whole)
                    for number, sequences, whole in found
                ]
