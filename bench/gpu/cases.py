"""The cases of the GPU benchmarks: models, sizes and bounds. Every `folder` is one that pack.sh made."""
import dataclasses
import pathlib

GIBIBYTE = 1 << 30
MEBIBYTE = 1 << 20

# The graph optimizations that a training runtime applies to an exported graph.
OPTIMIZED = ("--pass", "all", "--fuse", "dataflow")
BUDGET = 0.6  # relative to the peak without plans

# Bounds.
PREDICTION_ERROR = 0.01  # relative to the predicted peak
STEP_RATIO = 1.0         # our step time over that of PyTorch eager
PEAK_RATIO = 1.0         # our peak with workspaces over the peak that PyTorch eager allocated
TEN_PATHS_BYTES = 3 * MEBIBYTE // 4
TEN_PATHS_HELD = 11 * MEBIBYTE // 4  # the inputs, which are persistent and not counted
# Relative to a float32 oracle's largest value. bfloat16 has a relative rounding error of 2^-9, and the errors add up:
# the processor's own steps deviate by up to 8.5e-3 (gpt2_tiny, bloom_tiny_3layer), 1.6e-2 (llama_tiny_gqa) and 2.3e-2
# (vit_tiny).
MIXED_TOLERANCE = {"float16": 1e-2, "bfloat16": 3e-2}

# Small models with weights and expected results.
ORACLES = ("gpt2_tiny", "bert_tiny", "bloom_tiny_3layer", "llama_tiny_gqa", "llama_tiny_mha", "vit_tiny",
           "resnet18_div8", "resnet50_div8", "mobilenet_v2_w025", "densenet_small", "unet_small_bilinear")
# The models of ORACLES that are accurate enough with 16 bits. Batch normalization over few numbers is not, and
# bert_tiny has gradients that are only rounding errors.
MIXED_ORACLES = ("gpt2_tiny", "bloom_tiny_3layer", "llama_tiny_gqa", "vit_tiny")
# Models with dropout or exported in mixed precision. Their results are compared only with their own results.
WITHOUT_ORACLE = ("gpt2_tiny_dropout", "bert_tiny_dropout", "llama_tiny_amp_bf16")


@dataclasses.dataclass(frozen=True)
class Case:
    """A full-size training step."""
    name: str
    model: str
    batch: int
    sequence: int  # 0: no text
    precision: str

    def dims(self, batch: int) -> list[str]:
        sizes = ["--dim", f"inputs_*_dim0={batch}"]
        return sizes + ["--dim", f"inputs_*_dim1={self.sequence}"] if self.sequence else sizes

    def precision_options(self) -> list[str]:
        return [] if self.precision == "float32" else ["--precision", self.precision]

    def options(self, batch: int = 0) -> list[str]:
        """Options for sizes and precision; without `batch`, for the case's own batch."""
        return self.dims(batch or self.batch) + self.precision_options()

    def peer_options(self) -> list[str]:
        """Options for peer_torch.py."""
        sequence = ["--sequence", str(self.sequence)] if self.sequence else []
        return [self.model, "--batch", str(self.batch), "--precision", self.precision, *sequence]


CASES = (
    Case("gpt2_124m float16", "gpt2_124m", 8, 1024, "float16"),
    Case("gpt2_124m float32", "gpt2_124m", 8, 1024, "float32"),
    Case("bert_base float32", "bert_base", 8, 512, "float32"),
    Case("resnet50 float32", "resnet50", 64, 0, "float32"),
    Case("llama_7b_4of32layers bfloat16", "llama_7b_4of32layers", 1, 4096, "bfloat16"),
)

# The cases whose times are compared. LLaMA's rotary table in the file ends at position 2047, and later positions give
# NaN. NaN takes as much memory as other numbers, but maybe not as much time, so this case has a shorter sequence.
COMPARED = (*CASES[:-1], Case("llama_7b_4of32layers bfloat16, 2 of 2048", "llama_7b_4of32layers", 2, 2048, "bfloat16"))

# The case of the largest batch that fits into LIMIT_BYTES.
LIMITED = Case("gpt2_124m float32", "gpt2_124m", 8, 1024, "float32")
LIMIT_BYTES = 16 * GIBIBYTE
# The rest is for workspaces of libraries and for the rounding of allocators.
PLANNED_BYTES = int(0.95 * LIMIT_BYTES)


def small_model(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder / "models" / "small" / name / "model.onnx"


def full_model(folder: pathlib.Path, model: str) -> pathlib.Path:
    return folder / "models" / "full" / f"{model}_train_fwd.onnx"


def ten_paths_model(folder: pathlib.Path) -> pathlib.Path:
    return folder / "models" / "ten_paths.onnx"


def small_session(folder: pathlib.Path, name: str) -> pathlib.Path:
    """A session with plans for less memory, beside its model; it names the model by a relative path."""
    return small_model(folder, name).with_name("budget.session")


def budget_session(folder: pathlib.Path, case: Case) -> pathlib.Path:
    return full_model(folder, case.model).with_name(f"{case.model}_{case.precision}_budget.session")


def largest_batch_session(folder: pathlib.Path) -> pathlib.Path:
    return full_model(folder, LIMITED.model).with_name(f"{LIMITED.model}_largest_batch.session")
