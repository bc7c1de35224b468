"""The work of a backend of `torch.compile` on a graph, up to the point where it would make kernels."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional

import torch
from functorch.compile import default_partition, min_cut_rematerialization_partition  # type: ignore[import-untyped]
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import lookup_backend
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import FakeTensor

from ..errors import Error

# Makes a function that runs a graph. The flag is true for a graph of the backward pass.
Runs = Callable[[torch.fx.GraphModule, bool], Callable[..., Any]]
Backend = Callable[[torch.fx.GraphModule, list[Any]], Callable[..., Any]]

FUSES = ("The backend '{name}' of torch.compile fuses operators and allocates less than shown here, where the "
         "operators of its graphs run one by one. What forward saves for backward is what its partitioner chose.")
UNKNOWN = ("The backend '{name}' of torch.compile is not known. The operators here are those that AOTAutograd gives to "
           "the backend 'aot_eager'.")


def name_of(compiler: Any) -> str:
    """The name under which the user chose the backend. A function of the user that only has the name of a known backend
    gets `(unknown)` behind its name."""
    name = str(getattr(compiler, "compiler_name", None) or getattr(compiler, "__name__", type(compiler).__name__))
    function = getattr(compiler, "compiler_fn", None)
    if function is not None and (name not in _EXACT or lookup_backend(name) is not function):
        return f"{name} (unknown)" if name in ("inductor", *_EXACT) else name
    return name


def warning_of(compiler: Any) -> Optional[str]:
    """A warning for the user if the memory under this backend may not be that of the captured operators; else None."""
    name = name_of(compiler)
    if name in _EXACT:
        return None
    return (FUSES if name == "inductor" else UNKNOWN).format(name=name)


def operators_of(compiler: Any, runs: Runs) -> Backend:
    """A backend that makes the graphs of the user's backend, or those of 'aot_eager' if that one is not known, and runs
    them operator by operator."""
    name = name_of(compiler)
    if name == "inductor":
        return functools.partial(_inductor, compiler, runs)
    return functools.partial(_EXACT.get(name, _aot_eager), runs)


def _eager(runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    run = runs(graph, False)
    return lambda *args: run(list(args))


def _aot_eager(runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    return _autograd(runs, graph, inputs, min_cut_rematerialization_partition, keep_inference_input_mutations=True)


def _default_partitioner(runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    return _autograd(runs, graph, inputs, default_partition, keep_inference_input_mutations=True)


def _decomposed(runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    from torch._inductor.compile_fx import select_decomp_table
    partition = functools.partial(min_cut_rematerialization_partition, compiler="inductor")
    with torch._functorch.config.patch(unlift_effect_tokens=True):
        return _autograd(runs, graph, inputs, partition, decompositions=select_decomp_table())


def _refuse_held(graph: torch.fx.GraphModule) -> None:
    """Raises an error for a graph that holds tensors without data, as that of a compiled optimizer does: AOTAutograd
    cannot handle such a graph."""
    for name, tensor in (*graph.named_parameters(), *graph.named_buffers()):
        if isinstance(tensor, FakeTensor):
            raise Error(f"A compiled function holds the tensor '{name}' in its graph, as a compiled optimizer does",
                        "torch.compile", "Leave optimizer.step() out of torch.compile for the capture.")


def _autograd(runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any], partition: Any,
              **options: Any) -> Callable[..., Any]:
    _refuse_held(graph)
    made = aot_autograd(fw_compiler=lambda part, _: runs(part, False), bw_compiler=lambda part, _: runs(part, True),
                        partition_fn=partition, **options)
    return made(graph, in_mode_of_compilation(inputs))


def _inductor(compiler: Any, runs: Runs, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Runs a graph as Inductor's passes, decompositions and partitioner leave it, without Inductor's kernels."""
    from torch._inductor.compile_fx import compile_fx
    _refuse_held(graph)

    def inner(part: torch.fx.GraphModule, _: Any, **options: Any) -> Callable[..., Any]:
        return runs(part, bool(options.get("is_backward")))

    patches = {**getattr(compiler, "config", {}), "force_disable_caches": True, "freezing": False}
    return compile_fx(graph, in_mode_of_compilation(inputs),  # type: ignore[return-value]
                      inner_compile=inner, config_patches=patches)  # type: ignore[arg-type]


def in_mode_of_compilation(inputs: list[Any]) -> list[Any]:
    """Fake tensors of the captured step as AOTAutograd expects them: in the mode of this compilation."""
    context = TracingContext.get()

    def converted(value: Any) -> Any:
        if not isinstance(value, FakeTensor) or value.fake_mode is context.fake_mode:
            return value
        sizes = context.tensor_to_context.get(value)
        source = None if sizes is None else sizes.tensor_source  # type: ignore[attr-defined]
        return context.fake_mode.from_tensor(  # type: ignore[union-attr]
            value, symbolic_context=sizes, source=source, trace=False)
    return [converted(value) for value in inputs]


_EXACT: dict[str, Callable[..., Any]] = {
    "eager": _eager, "aot_eager": _aot_eager, "aot_eager_default_partitioner": _default_partitioner,
    "aot_eager_decomp_partition": _decomposed,
}
