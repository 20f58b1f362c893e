"""One op through TensorRT's Python package: an engine built from the ONNX model."""

from collections.abc import Callable

import tensorrt
import torch

from warpath import _onnx
from warpath._cases import CaseData
from warpath._contract import DTYPES, Op
from warpath._rows import CannotRun


def prepare(op: Op, case_data: CaseData, body: str) -> Callable:
    del op
    logger = tensorrt.Logger(tensorrt.Logger.ERROR)
    builder = tensorrt.Builder(logger)
    network = builder.create_network(0)
    parser = tensorrt.OnnxParser(network, logger)
    if not parser.parse(_onnx.model(case_data, body).SerializeToString()):
        raise CannotRun(f"TensorRT says: {parser.get_error(0).desc()}"[:200])
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        raise CannotRun("TensorRT could not build an engine for it")
    engine = tensorrt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    inputs = list(case_data.arguments("cuda"))
    outputs = [
        torch.empty(t["shape"], dtype=DTYPES[t["dtype"]], device="cuda")
        for t in case_data.told_outputs
    ]
    for told, tensor in zip(
        [*case_data.told_inputs, *case_data.told_outputs], [*inputs, *outputs], strict=True
    ):
        context.set_tensor_address(told["name"], tensor.data_ptr())

    def run():
        if not context.execute_async_v3(torch.cuda.current_stream().cuda_stream):
            raise RuntimeError("TensorRT could not run its engine")
        return tuple(outputs)

    return run
