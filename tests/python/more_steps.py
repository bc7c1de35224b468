"""Training steps of all kinds for captures: each entry makes a fresh step, the same every time."""

from __future__ import annotations

import copy
import functools
from typing import Any, Callable

import torch
import torch.nn.functional as functional
from torch import nn

Step = Callable[[], None]


def trained(model: nn.Module, loss: Callable[[], torch.Tensor], optimizer: Any = torch.optim.AdamW) -> Step:
    """A usual step."""
    model.train()
    update = optimizer([parameter for parameter in model.parameters() if parameter.requires_grad], lr=0.001)

    def step() -> None:
        update.zero_grad()
        loss().backward()
        update.step()
    return step


def ids(*shape: int) -> torch.Tensor:
    """Token ids."""
    return torch.randint(3, 90, shape or (2, 32))


class _Recurrent(nn.Module):
    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.recurrent = kind(16, 24, num_layers=2, batch_first=True, **options)
        self.head = nn.Linear(24 * (1 + options.get("bidirectional", False)), 100)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.recurrent(self.embedding(tokens))[0])


def _recurrent(kind: Any, **options: Any) -> Callable[[], Step]:
    def make() -> Step:
        model, tokens = _Recurrent(kind, **options), ids()
        return trained(model, lambda: functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()))
    return make


def _evaluated_lstm() -> Step:
    model, tokens = _Recurrent(nn.LSTM), ids()

    def step() -> None:
        with torch.no_grad():
            functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    return step


def _packed_lstm() -> Step:
    recurrent, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 4)
    model = nn.ModuleList([recurrent, head])
    data, lengths = torch.randn(3, 10, 8), torch.tensor([10, 7, 4])

    def loss() -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(data, lengths, batch_first=True)
        return head(nn.utils.rnn.pad_packed_sequence(recurrent(packed)[0], batch_first=True)[0]).square().mean()
    return trained(model, loss)


def _transformer() -> Step:
    model = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
    source, target = torch.randn(2, 20, 32), torch.randn(2, 12, 32)
    mask = nn.Transformer.generate_square_subsequent_mask(12)
    return trained(model, lambda: model(source, target, tgt_mask=mask).square().mean())


def _embedding_bag() -> Step:
    model = nn.Sequential(nn.EmbeddingBag(100, 16, mode="mean"), nn.Linear(16, 4))
    tokens, offsets = ids(30), torch.tensor([0, 7, 19])
    return trained(model, lambda: model[1](model[0](tokens, offsets)).square().mean())


def _variational() -> Step:
    encoder, decoder = nn.Linear(64, 2 * 8), nn.Sequential(nn.Linear(8, 64), nn.Sigmoid())
    model = nn.ModuleList([encoder, decoder])
    data = torch.rand(6, 64)

    def loss() -> torch.Tensor:
        mean, spread = encoder(data).chunk(2, -1)
        code = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        divergence = -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum()
        return functional.binary_cross_entropy(decoder(code), data, reduction="sum") + divergence
    return trained(model, loss)


def _adversarial() -> Step:
    maker = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 16))
    judge = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    updates = [torch.optim.Adam(part.parameters(), lr=0.001) for part in (maker, judge)]
    real, ones, zeros = torch.randn(6, 16), torch.ones(6, 1), torch.zeros(6, 1)

    def step() -> None:
        made = maker(torch.randn(6, 8))
        updates[1].zero_grad()
        loss = functional.binary_cross_entropy_with_logits
        (loss(judge(real), ones) + loss(judge(made.detach()), zeros)).backward()
        updates[1].step()
        updates[0].zero_grad()
        loss(judge(made), ones).backward()
        updates[0].step()
    return step


def _network() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 32), nn.ReLU(inplace=True), nn.LayerNorm(32),
                         nn.Dropout(0.1), nn.Linear(32, 4))


def _with_optimizer(make_optimizer: Any) -> Callable[[], Step]:
    def make() -> Step:
        model, data = _network(), torch.randn(8, 16)
        return trained(model, lambda: model(data).square().mean(), make_optimizer)
    return make


def _second_step(make: Callable[[], Step]) -> Callable[[], Step]:
    def made() -> Step:
        step = make()
        step()
        return step
    return made


def _lbfgs() -> Step:
    model, data = _network()[:3], torch.randn(8, 16)
    update = torch.optim.LBFGS(model.parameters(), max_iter=2)

    def closure() -> torch.Tensor:
        update.zero_grad()
        loss = model(data).square().mean()
        loss.backward()
        return loss
    return lambda: update.step(closure)


def _accumulation() -> Step:
    model, batches = _network(), torch.randn(3, 8, 16)
    update = torch.optim.AdamW(model.parameters())

    def step() -> None:
        update.zero_grad()
        for batch in batches:
            (model(batch).square().mean() / 3).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        update.step()
    return step


def _checkpointed(reentrant: bool) -> Callable[[], Step]:
    def make() -> Step:
        from torch.utils.checkpoint import checkpoint, checkpoint_sequential
        first, rest, data = _network(), nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(4))), \
            torch.randn(8, 16, requires_grad=True)
        model = nn.ModuleList([first, rest])

        def loss() -> torch.Tensor:
            hidden = checkpoint(first, data, use_reentrant=reentrant)
            return checkpoint_sequential(rest, 2, hidden, use_reentrant=reentrant).square().mean()
        return trained(model, loss)
    return make


def _scaled() -> Step:
    model, data = _network(), torch.randn(8, 16)
    update, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu")

    def step() -> None:
        update.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(data).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(update)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(update)
        scaler.update()
    return step


def _averaged() -> Step:
    model, data = _network(), torch.randn(8, 16)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    update = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        update.zero_grad()
        model(data).square().mean().backward()
        update.step()
        average.update_parameters(model)
    return step


def _tied() -> Step:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.head = nn.Embedding(50, 16), nn.Linear(16, 50, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.embedding(tokens))
    model, tokens = Tied(), torch.randint(0, 50, (4, 8))
    return trained(model, lambda: functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()))


def _parametrized() -> Step:
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(16, 32)),
                          nn.utils.parametrizations.spectral_norm(nn.Linear(32, 32)),
                          nn.utils.parametrizations.orthogonal(nn.Linear(32, 32)))
    data = torch.randn(8, 16)
    return trained(model, lambda: model(data).square().mean())


def _old_weight_norm() -> Step:
    model, data = nn.utils.weight_norm(nn.Linear(16, 32)), torch.randn(8, 16)
    return trained(model, lambda: model(data).square().mean())


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, data: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(data)
        context.kept = data * 2
        return data ** 3

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        data, = context.saved_tensors
        return gradient * 3 * data * data + 0 * context.kept


def _own_function() -> Step:
    model, data = _network(), torch.randn(8, 16)
    return trained(model, lambda: _Cube.apply(model(data)).mean())


def _gradient_penalty() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16, requires_grad=True)

    def loss() -> torch.Tensor:
        result = model(data)
        slope, = torch.autograd.grad(result.sum(), data, create_graph=True)
        return result.square().mean() + (slope.norm(dim=1) - 1).square().mean()
    return trained(model, loss)


def _functional() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16)
    parameters = dict(model.named_parameters())

    def step() -> None:
        def loss(values: Any) -> torch.Tensor:
            return torch.func.functional_call(model, values, (data,)).square().mean()
        gradients = torch.func.grad(loss)(parameters)
        with torch.no_grad():
            for name, value in parameters.items():
                value.sub_(0.1 * gradients[name])
    return step


def _per_sample() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16)
    parameters = {name: value.detach() for name, value in model.named_parameters()}

    def step() -> None:
        def loss(values: Any, sample: torch.Tensor) -> torch.Tensor:
            return torch.func.functional_call(model, values, (sample,)).square().mean()
        gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, data)
        for name, value in parameters.items():
            value.sub_(0.1 * gradients[name].mean(0))
    return step


def _views_in_place() -> Step:
    model, data = nn.Linear(8, 16), torch.randn(2, 5, 8)

    def loss() -> torch.Tensor:
        made = model(data) * 2
        made[:, 1:3] += 1
        made[0] = made[1]
        made[..., 0].mul_(2)
        made.view(-1)[3:5] = 0
        rows = torch.zeros(2, 10, 16)
        rows[:, ::2] = made
        rows[0, 1::2].copy_(model(data[0]).relu_())
        return rows.transpose(1, 2).tanh_().square().mean()
    return trained(model, loss)


def _selective() -> Step:
    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    kept = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.addmm.default])
    first, between, last = (nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 16)) for _ in range(3))
    data = torch.randn(8, 16)

    def loss() -> torch.Tensor:
        hidden = checkpoint(first, data, use_reentrant=False, context_fn=kept)
        return checkpoint(lambda rows: last(between(rows)), hidden, use_reentrant=False, context_fn=kept).square().mean()
    return trained(nn.ModuleList([first, between, last]), loss)


class _ByHand(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, run: Any, data: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        context.run, context.parameters = run, parameters
        context.save_for_backward(data)
        with torch.no_grad():
            return run(data)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        data = context.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            result = context.run(data)
        return None, *torch.autograd.grad(result, (data, *context.parameters), gradient)


def _checkpoint_by_hand() -> Step:
    model, data = nn.ModuleList([nn.Sequential(nn.Linear(16, 16), nn.GELU()) for _ in range(3)]), torch.randn(8, 16)

    def loss() -> torch.Tensor:
        hidden = data.clone().requires_grad_()
        for block in model:
            hidden = _ByHand.apply(block, hidden, *block.parameters())
        return hidden.square().mean()
    return trained(model, loss)


def _channels_last() -> Step:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(True), nn.AvgPool2d(2), nn.Conv2d(8, 8, 3))
    model, images = model.to(memory_format=torch.channels_last), torch.randn(2, 3, 16, 16)
    return trained(model, lambda: model(images.to(memory_format=torch.channels_last)).square().mean())


def _padded_channels_last() -> Step:
    model = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ELU(), nn.ReplicationPad2d(1),
                          nn.Conv2d(8, 8, 3), nn.GroupNorm(2, 8), nn.Hardswish(), nn.ChannelShuffle(2), nn.RReLU(),
                          nn.Conv2d(8, 8, 3), nn.GLU(1), nn.Hardtanh(), nn.Conv2d(4, 4, 3), nn.LogSoftmax(1))
    model, images = model.to(memory_format=torch.channels_last), torch.randn(2, 3, 16, 16)
    return trained(model, lambda: model(images.to(memory_format=torch.channels_last)).square().mean())


def _connectionist(reduction: str, zero_infinity: bool) -> Callable[[], Step]:
    """Lengths that exist before the step, and lengths that it makes."""
    def make() -> Step:
        model, frames, labels = nn.Linear(8, 12), torch.randn(9, 3, 8), torch.randint(1, 12, (3, 4))
        inputs, targets = torch.tensor([9, 9, 8], dtype=torch.int32), torch.tensor([4, 2, 3], dtype=torch.int32)

        def loss() -> torch.Tensor:
            logits, full = model(frames).log_softmax(-1), torch.full((3,), 9)
            losses = [functional.ctc_loss(logits, labels, *lengths, 0, reduction, zero_infinity)
                      for lengths in ((inputs, targets), (full, targets), ([9, 8, 7], [4, 2, 3]))]
            return sum(one.sum() for one in losses)
        return trained(model, loss)
    return make


def _distributions() -> Step:
    """A policy and its values, with arguments that are checked."""
    model, states = nn.Linear(8, 6), torch.randn(16, 8)

    def loss() -> torch.Tensor:
        logits, means, scales = model(states).split(2, -1)
        policy = torch.distributions.Categorical(logits=logits)
        values = torch.distributions.StudentT(4.0, means, functional.softplus(scales) + 1e-3)
        gains = policy.log_prob(policy.sample()).mean() + values.log_prob(torch.ones(16, 2)).mean()
        return -(gains + policy.entropy().mean())
    return trained(model, loss)


def _rotary_complex() -> Step:
    model, data, turns = nn.Linear(16, 16), torch.randn(2, 6, 16), torch.polar(torch.ones(6, 8), torch.rand(6, 8))

    def loss() -> torch.Tensor:
        pairs = torch.view_as_complex(model(data).reshape(2, 6, 8, 2))
        return torch.view_as_real(pairs * turns).flatten(2).square().mean()
    return trained(model, loss)


def _moving_average() -> Step:
    model, data = _network(), torch.randn(8, 16)
    average, update = copy.deepcopy(model).requires_grad_(False), torch.optim.AdamW(model.parameters())

    def step() -> None:
        update.zero_grad()
        model(data).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update.step()
        with torch.no_grad():
            for mine, its in zip(average.parameters(), model.parameters()):
                mine.lerp_(its, 0.01)
    return step


STEPS: dict[str, Callable[[], Step]] = {
    "views_in_place": _views_in_place, "selective_checkpoint": _selective, "checkpoint_by_hand": _checkpoint_by_hand,
    "channels_last": _channels_last, "padded_channels_last": _padded_channels_last,
    "ctc_mean": _connectionist("mean", False), "ctc_sum": _connectionist("sum", True),
    "ctc_none": _connectionist("none", True), "distributions": _distributions,
    "rotary_complex": _rotary_complex, "ema": _moving_average,
    "gru": _recurrent(nn.GRU), "rnn": _recurrent(nn.RNN), "bidirectional_lstm": _recurrent(nn.LSTM, bidirectional=True),
    "lstm_without_biases": _recurrent(nn.LSTM, bias=False), "evaluated_lstm": _evaluated_lstm,
    "packed_lstm": _packed_lstm, "transformer": _transformer, "embedding_bag": _embedding_bag,
    "variational": _variational, "adversarial": _adversarial, "accumulation": _accumulation,
    "checkpoint": _checkpointed(False), "checkpoint_reentrant": _checkpointed(True),
    "grad_scaler": _scaled, "averaged": _averaged, "averaged_again": _second_step(_averaged), "tied": _tied,
    "parametrized": _parametrized, "weight_norm": _old_weight_norm, "own_function": _own_function,
    "gradient_penalty": _gradient_penalty, "func_grad": _functional, "per_sample": _per_sample,
    "lbfgs": _lbfgs, "lbfgs_again": _second_step(_lbfgs),
}

_OPTIMIZERS = {
    "sgd": lambda parameters, lr: torch.optim.SGD(parameters, lr, momentum=0.9, nesterov=True, weight_decay=0.1),
    "sgd_fused": lambda parameters, lr: torch.optim.SGD(parameters, lr, fused=True),
    "adam_amsgrad": lambda parameters, lr: torch.optim.Adam(parameters, lr, amsgrad=True),
    "adamw_foreach": lambda parameters, lr: torch.optim.AdamW(parameters, lr, foreach=True),
    "adamw_fused": lambda parameters, lr: torch.optim.AdamW(parameters, lr, fused=True),
    "adamw_capturable": lambda parameters, lr: torch.optim.AdamW(parameters, torch.tensor(lr)),
    "rmsprop": lambda parameters, lr: torch.optim.RMSprop(parameters, lr, momentum=0.9, centered=True),
    "rmsprop_foreach": lambda parameters, lr: torch.optim.RMSprop(parameters, lr, foreach=True),
    "adagrad": torch.optim.Adagrad,
    "adagrad_fused": lambda parameters, lr: torch.optim.Adagrad(parameters, lr, fused=True),
    "adafactor": torch.optim.Adafactor, "adadelta": torch.optim.Adadelta, "adamax": torch.optim.Adamax,
    "nadam": torch.optim.NAdam, "radam": torch.optim.RAdam, "rprop": torch.optim.Rprop, "asgd": torch.optim.ASGD,
    "adamax_foreach": lambda parameters, lr: torch.optim.Adamax(parameters, lr, foreach=True),
    "nadam_foreach": lambda parameters, lr: torch.optim.NAdam(parameters, lr, foreach=True),
}
for _name, _optimizer in _OPTIMIZERS.items():
    STEPS[f"with_{_name}"] = _with_optimizer(_optimizer)
    STEPS[f"with_{_name}_again"] = _second_step(_with_optimizer(_optimizer))
