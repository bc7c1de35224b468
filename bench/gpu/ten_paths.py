#!/usr/bin/env python3
"""Writes the ten parallel paths (docs/orders_and_fusions.md) as an ONNX model, path by path.

usage: ten_paths.py FILE

Writes protobuf's wire format directly, so that the onnx package is not needed.
"""
import pathlib
import sys

PATHS = 10
SIDE = 256  # side of the square float32 matrices
FLOAT32 = 1


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def integer_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def bytes_field(number: int, value: bytes | str) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(encoded)) + encoded


def square_matrix(name: str) -> bytes:
    """A ValueInfoProto."""
    shape = bytes_field(1, integer_field(1, SIDE)) * 2
    tensor = integer_field(1, FLOAT32) + bytes_field(2, shape)
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor))


def node(operator: str, inputs: list[str], output: str) -> bytes:
    named = bytes_field(3, f"{operator}_{output}")
    return b"".join(bytes_field(1, name) for name in inputs) + bytes_field(2, output) + named + bytes_field(4, operator)


def path(k: int) -> list[bytes]:
    return [node("Relu", [f"in_{k}"], f"t1_{k}"),
            node("MatMul", [f"t1_{k}", f"t1_{k}"], f"t2_{k}"),
            node("Relu", [f"t2_{k}"], f"t3_{k}"),
            node("MatMul", [f"t3_{k}", f"a_{k - 1}"], f"a_{k}")]


def model() -> bytes:
    paths = range(1, PATHS + 1)
    inputs = [f"in_{k}" for k in paths] + ["a_0"]
    graph = (b"".join(bytes_field(1, each) for k in paths for each in path(k)) + bytes_field(2, "ten_paths") +
             b"".join(bytes_field(11, square_matrix(name)) for name in inputs) +
             bytes_field(12, square_matrix(f"a_{PATHS}")))
    ir_version, operators = 8, 17
    return integer_field(1, ir_version) + bytes_field(7, graph) + bytes_field(8, integer_field(2, operators))


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_bytes(model())
    return 0


if __name__ == "__main__":
    sys.exit(main())
