"""The training loop: the one for every task and architecture.

Everything that decides what comes next (weights, optimizer, schedule, position in the data, the best score so far)
is in a checkpoint, and everything random is drawn from generators keyed by the step, so a run that was killed and
resumed, any number of times, computes the same numbers to the last bit as one that was not.
"""

from __future__ import annotations

import hashlib
import math
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from seqloom.errors import ConfigError, TrainingError
from seqloom.layers.dropout import draw_from
from seqloom.layers.r_drop import divergence
from seqloom.models.weights import load_weights, weights_of
from seqloom.tasks.trainable import Loss, Trainable, ValidationResult
from seqloom.training import checkpoint as checkpoints
from seqloom.training.callbacks import CallbackList, TrainingState
from seqloom.training.checkpoint import Checkpoint
from seqloom.training.display import Display
from seqloom.training.distributed import ProcessGroup
from seqloom.training.early_stopping import stop_reason
from seqloom.training.layer_rates import LayerRates
from seqloom.training.metrics import MetricsLog
from seqloom.training.optimizer import (
    clip_gradients,
    load_optimizer_state,
    make_optimizer,
    optimizer_state,
    set_learning_rate,
)
from seqloom.training.schedules import Schedule
from seqloom.training.settings import TrainConfig
from seqloom.training.trainer_state import TrainerState

if TYPE_CHECKING:
    from seqloom.training.budget_replanning import BudgetReplanner
    from seqloom.training.sharding import Sharding

B = TypeVar("B")


class Trainer(Generic[B]):
    """One run in one folder."""

    def __init__(
        self, run: Path, config: TrainConfig, model: nn.Module, trainable: Trainable[B], group: ProcessGroup,
        rates: LayerRates | None = None,
    ) -> None:  # fmt: skip
        self.run, self.config, self.trainable, self.group = run, config, trainable, group
        self.sharding: Sharding | None = None
        if config.shard and group.world_size > 1:
            from seqloom.training.sharding import Sharding  # here: a second of torch that nobody else needs

            self.sharding = Sharding(model, group)
        self.model = model if self.sharding else model.to(group.device)
        self.generator = torch.Generator(group.device)
        draw_from(self.generator, self.model)
        self.rates = rates or LayerRates()
        self.optimizer = make_optimizer(self.model, config, self.rates)
        self.schedule = Schedule(config)
        self.average = {name: w.detach().clone() for name, w in self.averaged()} if config.average else {}
        self.progress = TrainerState()
        self.began = time.monotonic()
        self.interrupted = self.stopping = False
        self.callbacks = CallbackList(())
        self.last_metrics: dict[str, float] = {}
        self.last_score = math.nan
        self.asked_to_stop = ""
        self.replanner: BudgetReplanner | None = None

    # --- the run ----------------------------------------------------------------------------------

    def train(self, *, quiet: bool = False, notes: Sequence[str] = (), until: float = math.inf) -> TrainerState:
        """Train to the end, from wherever the run is; by the clock (time.monotonic) not after `until`."""
        progress, group = self.progress, self.group
        progress.settings = self.config.model_dump(mode="json")
        metrics = MetricsLog(self.run, progress.step, tensorboard=self.config.tensorboard) if group.is_main else None
        display = Display(
            self.config, progress.step, predicts_tokens=self.trainable.predicts_tokens, quiet=quiet or not group.is_main
        )
        trained = self.wrapped()
        if self.replanner is not None:
            self.replanner.begin(progress.step)
        for note in (*notes, *self.trainable.notes):
            display.say(note)
        try:
            with self.interruptible():
                batches = iter(self.trainable.stream)
                while not progress.finished:
                    display.begin(progress.tokens)
                    self.step(trained, next(batches))
                    display.step(progress.step, progress.tokens)
                    self.after_step(metrics, display)
                    if progress.finished:
                        break
                    self.replan(display)
                    asked = self.call("on_step")
                    if self.callbacks and group.broadcast(bool(asked)):
                        self.save(metrics)  # not as finished: it can go on
                        progress.finished = f"{asked or 'stopped'} after {progress.step:,} steps"
                        break
                    if self.stopping or (self.interrupted and group.world_size == 1):
                        self.save(metrics)
                        raise KeyboardInterrupt
                    if self.out_of_time(until):
                        self.save(metrics)  # not as finished: it can go on
                        progress.finished = f"out of time after {progress.step:,} of {self.config.steps:,} steps"
            self.call("on_end")
        finally:
            display.close()
            if metrics is not None:
                metrics.close()
        return self.progress

    def wrapped(self) -> nn.Module:
        """The model as it is called in training, so that all processes share their gradients."""
        return self.model if self.sharding else self.group.wrap(self.model)

    def follow(self, replanner: BudgetReplanner) -> None:
        """Train as many steps as a plan says, and as it comes to say."""
        self.replanner, self.schedule.revisions = replanner, replanner.plan.revisions

    def replan(self, display: Display | None = None) -> None:
        """Let a plan with a budget look at the clock, and train as many steps as it says from here on."""
        replanner, step, before = self.replanner, self.progress.step, self.config.steps
        if replanner is None:
            return
        if display is not None and replanner.is_due(step):
            replanner.decide(step, self.seconds())
        if (steps := replanner.steps_at(step)) != before:
            self.config = self.config.model_copy(update={"steps": steps})
            self.progress.settings["steps"] = steps
            if display is not None:
                display.replan(steps, replanner.plan.budget)

    def step(self, trained: nn.Module, batch: B) -> None:
        """One step of the optimizer on one batch, split over processes and for gradient accumulation."""
        group, config, progress = self.group, self.config, self.progress
        self.seed_step()
        parts = self.trainable.split(batch, group.world_size * config.accumulate)[group.rank :: group.world_size]
        self.model.train()
        losses = []
        try:
            for position, part in enumerate(parts):
                counted = self.trainable.size(part) > 0
                if not counted and group.world_size == 1:
                    continue
                if not counted:  # fewer examples than processes: one that counts for nothing, so that all stay in step
                    part = self.trainable.split(batch, self.trainable.size(batch))[0]
                last = position == len(parts) - 1
                replicated = isinstance(trained, DistributedDataParallel)  # sharded: no room for whole gradients
                quiet = trained.no_sync() if replicated and not last else nullcontext()  # type: ignore[operator]
                with quiet, self.precision():
                    loss = self.loss(trained, part)
                    (loss.total * (group.world_size if counted else 0)).backward()  # type: ignore[no-untyped-call]
                losses.append((float(loss.total.detach()), loss.count if counted else 0))
        except RuntimeError as error:
            if "memory" not in str(error).lower():
                raise
            raise TrainingError(
                f"out of memory in step {progress.step + 1}",
                remedy="lower train.batch_tokens, or cut batches with train.accumulate=2, then resume",
            ) from error
        total, count, asked = group.all_reduce(
            math.fsum(value for value, count in losses if count), sum(count for _, count in losses), self.interrupted
        )
        self.stopping = asked > 0  # the same in all processes, so that they stop after the same step
        if not math.isfinite(total):
            raise TrainingError(
                f"the loss is {total} in step {progress.step + 1}",
                remedy="lower train.learning_rate or lengthen train.warmup_steps; the last checkpoint is sound",
            )
        self.update(1.0 / max(count, 1))
        progress.step += 1
        progress.tokens += self.trainable.token_count(batch)
        progress.loss_sum += total
        progress.loss_count += count

    def loss(self, trained: nn.Module, part: B) -> Loss:
        """The loss of a part; with R-Drop of two forward passes, with the KL divergence between them."""
        if not self.config.r_drop:
            return self.trainable.loss(trained, part)
        loss = self.trainable.loss(trained, self.trainable.repeated(part))
        if loss.logits is None:
            mistake = (
                "train.r_drop",
                "compares the probabilities of labels or words, and the answer is a number",
                "leave it at 0",
            )
            raise ConfigError("settings", [mistake])
        return replace(loss, total=loss.total + self.config.r_drop * divergence(loss.logits))

    def seed_step(self) -> None:
        """Everything drawn in a step comes from generators keyed by the step and the process: no state to keep."""
        key = f"{self.config.seed} {self.progress.step} {self.group.rank}"
        number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")
        self.generator.manual_seed(number)
        torch.manual_seed(number)

    def update(self, scale: float) -> None:
        """Gradients of a sum become those of a mean, are clipped, and move the weights."""
        weights = [weight for weight in self.model.parameters() if weight.grad is not None]
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        torch._foreach_mul_(gradients, scale)
        clip_gradients(weights, self.config.clip)
        set_learning_rate(self.optimizer, self.schedule, self.rates, self.progress.step + 1)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        if self.config.average:
            rate = min(self.config.average, (1 + self.progress.step) / (10 + self.progress.step))
            for name, weight in self.averaged():
                self.average[name].lerp_(weight.detach(), 1 - rate)

    def after_step(self, metrics: MetricsLog | None, display: Display) -> None:
        """Log, evaluate, stop, save: whatever is due after this step."""
        config, progress = self.config, self.progress
        step = progress.step
        last = step >= config.steps
        due = step % config.evaluate_every == 0 or last
        result, sample = self.evaluate() if due else (None, "")
        better = progress.improved(result) if result else False
        if result and not better:
            self.schedule.on_plateau()
        if step % config.log_every == 0 or result or last:
            values = self.logged_metrics(result)
            if metrics is not None:
                metrics.write(step, values, best=better)
            display.log(step, values)
            progress.loss_sum = progress.loss_count = 0.0
        self.asked_to_stop = ""
        if result:
            self.last_metrics, self.last_score = dict(result.metrics), result.selection_score
            self.asked_to_stop = self.call("on_validation", best=better)
        if due:
            sample = metrics.sample(step, sample) if metrics is not None else ""
            display.evaluated(step, result.metrics if result else {}, best=better, sample=sample)
        progress.finished = stop_reason(progress, config)
        if step % config.checkpoint_every == 0 or better or progress.finished:
            self.save(metrics)

    def call(self, hook: str, *, best: bool = False) -> str:
        """Call the callbacks, in the main process alone; returns why the run is to stop, if one asks for it."""
        if not self.callbacks or not self.group.is_main:
            return ""
        progress, asked = self.progress, self.asked_to_stop
        epoch = self.trainable.stream.epochs()
        metrics = {} if hook == "on_step" else self.last_metrics
        state = TrainingState(
            progress.step, self.config.steps, epoch, self.model, self.run, metrics, best, self.last_score, asked
        )
        if hook == "on_end":
            state.reason = progress.finished
        return self.callbacks.call(hook, state)

    def logged_metrics(self, result: ValidationResult | None) -> dict[str, Any]:
        """A line of metrics.jsonl: nothing in it depends on a clock."""
        progress = self.progress
        values: dict[str, Any] = {
            "loss": progress.loss_sum / max(progress.loss_count, 1),
            "epoch": self.trainable.stream.epochs(),
            "rate": self.schedule.rate(progress.step),
            "tokens": progress.tokens,
        }
        return values | {f"valid_{name}": value for name, value in (result.metrics if result else {}).items()}

    def out_of_time(self, until: float) -> bool:
        """Whether the clock is past `until`; checked in steps that are logged."""
        asked = until < math.inf and self.progress.step % self.config.log_every == 0
        return asked and self.group.broadcast(time.monotonic() > until)

    # --- evaluating -------------------------------------------------------------------------------

    def evaluate(self) -> tuple[ValidationResult | None, str]:
        """The metrics of the averaged weights, and a sample answer, which the main process alone shows."""
        self.model.eval()
        whole = self.sharding.gathered() if self.sharding else nullcontext()
        with torch.no_grad(), self.averaged_weights(), whole, self.precision():
            result = self.trainable.evaluate(self.model)
            return result, self.trainable.sample(self.model) if self.group.is_main else ""

    def averaged(self) -> Iterator[tuple[str, torch.Tensor]]:
        return ((name, weight) for name, weight in self.model.named_parameters() if weight.requires_grad)

    @contextmanager
    def averaged_weights(self) -> Iterator[None]:
        """The model with its averaged weights for a while, if it has any."""
        if not self.average:
            yield
            return
        kept = {name: weight.detach().clone() for name, weight in self.averaged()}
        weights = dict(self.averaged())
        with torch.no_grad():
            for name, value in self.average.items():
                weights[name].copy_(value)
        try:
            yield
        finally:
            with torch.no_grad():
                for name, value in kept.items():
                    weights[name].copy_(value)

    def precision(self) -> Any:
        if self.config.precision == "bfloat16":
            return torch.autocast(self.group.device.type, dtype=torch.bfloat16)
        return nullcontext()

    # --- nothing lost -------------------------------------------------------------------------------

    def save(self, metrics: MetricsLog | None) -> None:
        """Write a checkpoint behind the metrics so far, and remove those that are no longer kept."""
        if metrics is not None:
            metrics.settle()
        self.write_checkpoint()
        if self.group.is_main:
            checkpoints.prune(self.run, self.config.keep, self.progress.best_step)
        self.group.barrier()

    def write_checkpoint(self) -> None:
        """The main process writes; of a sharded model every process its part."""
        if self.sharding:
            self.sharding.save(self.run, self.state())
        elif self.group.is_main:
            checkpoints.save(self.run, self.state())

    def state(self) -> Checkpoint:
        tensors = {
            "model": weights_of(self.model),
            "optimizer": optimizer_state(self.optimizer, self.model),
        }
        if self.average:
            tensors["average"] = self.average
        state = {
            "progress": {**self.progress.saved(), "seconds": self.seconds()},
            "stream": self.trainable.stream.position(),
            "lowered": self.schedule.plateau_factor,
        }
        return Checkpoint(self.progress.step, tensors, state)

    def seconds(self) -> float:
        """How long the run has worked, over all resumes."""
        return self.progress.seconds + time.monotonic() - self.began

    def restore(self, saved: Checkpoint) -> None:
        """Be exactly where the checkpoint was written."""
        if self.sharding:
            self.average = self.sharding.restore(saved, self.optimizer)
        else:
            load_weights(self.model, saved.tensors["model"])
            load_optimizer_state(self.optimizer, self.model, saved.tensors["optimizer"])
            average = saved.tensors.get("average", {})
            self.average = {name: value.to(self.group.device) for name, value in average.items()}
        self.progress = TrainerState.load(saved.state["progress"])
        self.replan()
        # by the settings of today: more steps may be asked for
        self.progress.finished = stop_reason(self.progress, self.config)
        self.schedule.plateau_factor = saved.state["lowered"]
        self.trainable.stream.seek(saved.state["stream"])

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Ctrl-C ends the step that is under way, saves, and then stops; a second one stops at once."""

        def note(number: int, frame: object) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        try:
            before = signal.signal(signal.SIGINT, note)
        except ValueError:  # not the main thread: whoever runs us handles signals
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
