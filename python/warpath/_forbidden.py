"""What a learner's twin may not do: read in its source before it is run. cli/forbidden.cpp is the same for CUDA."""

import ast
import re

# What a launcher needs of torch: memory, types, shapes. Everything else computes.
TORCH = {
    "Tensor", "Size", "device", "dtype", "empty", "empty_like", "empty_strided", "zeros", "zeros_like", "full",
    "contiguous_format", "channels_last", "preserve_format", "strided", "finfo", "iinfo", "bool", "uint8", "int8",
    "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "half", "float", "double", "long", "int",
}  # fmt: skip
IMPORTS = {"torch", "triton", "triton.language", "math", "__future__"}

# Names and attributes by what is wrong with them.
NAMES = {
    "reaches outside: files, other programs": {"open", "input", "breakpoint"},
    "looks for the reference or for the program that checks it": {
        "getattr", "setattr", "delattr", "globals", "locals", "vars", "eval", "exec", "compile", "__import__",
        "memoryview", "super",
    },
    "tampers with the process that runs it": {"exit", "quit"},
}  # fmt: skip
ATTRIBUTES = {
    "calls an op of ours or of torch's, and the task is to write the kernel": {
        "ops", "nn", "functional", "special", "linalg", "fft", "_C", "_refs", "_prims", "compile", "jit_script",
    },
    "computes on the host, and the task is to write the kernel": {
        "numpy", "tolist", "item", "apply_", "map_", "cpu", "__array__", "dlpack",
    },
    "puts work on another stream, where the clock does not see it": {"cuda", "Stream", "stream", "graph"},
    "looks for memory that is not its own": {"data_ptr", "untyped_storage", "storage", "set_", "from_file"},
    "looks for the reference or for the program that checks it": {"utils", "library", "overrides", "runtime"},
}  # fmt: skip
CONSTANT = {"tl.constexpr", "math.log", "math.sqrt"}  # calls whose result is one
KEEPS = "keeps a value from one launch to the next"


class Reader(ast.NodeVisitor):
    """Compares a source with the solution: what the solution does is allowed."""

    def __init__(self, solution: ast.Module):
        self.found: list[str] = []
        nodes = list(ast.walk(solution))
        self.names = {n.id for n in nodes if isinstance(n, ast.Name)}
        self.attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        self.imports = {name for n in nodes for name in imported(n)}
        self.top = {ast.dump(n) for n in solution.body}
        self.decorators = {
            ast.dump(d)
            for n in nodes
            if isinstance(n, (ast.FunctionDef, ast.ClassDef))
            for d in n.decorator_list
        }

    def add(self, node: ast.AST, why: str) -> None:
        self.found.append(f"line {node.lineno}: {why}")

    def read(self, source: ast.Module) -> list[str]:
        plain = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        for n in source.body:
            if ast.dump(n) in self.top or isinstance(n, plain) or is_text(n):
                continue
            if not isinstance(n, (ast.Assign, ast.AnnAssign)):
                self.add(n, "runs when the file is loaded; a twin has only definitions there")
            elif not is_constant(n.value):
                self.add(n, f"a module's variable {KEEPS}")
        self.visit(source)
        return self.found

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in imported(node):
            if name in IMPORTS or name in self.imports:
                continue
            if name.split(".")[0] == "warpath":
                why = "takes kernels of ours, and the task is to write one"
            elif name.split(".")[0] == "torch":
                why = "takes an op of torch's, and the task is to write the kernel"
            else:
                why = "takes a module that no kernel needs"
            self.add(node, f"import {name}: {why}")

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.add(node, f"{', '.join(node.names)} {KEEPS}")

    visit_Nonlocal = visit_Global

    def visit_Name(self, node: ast.Name) -> None:
        for why, names in NAMES.items():
            if node.id in names and node.id not in self.names:
                self.add(node, f"{node.id} {why}")
        if node.id.startswith("__"):
            self.add(node, f"{node.id} looks for the reference or for the program that checks it")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        if node.attr in self.attributes:
            return
        for why, names in ATTRIBUTES.items():
            if node.attr in names:
                return self.add(node, f".{node.attr} {why}")
        if node.attr.startswith("_"):
            return self.add(node, f".{node.attr} is a private name, and a twin needs none")
        if isinstance(node.value, ast.Name) and node.value.id == "torch" and node.attr not in TORCH:
            self.add(
                node, f"torch.{node.attr} does the work outside of the kernel that you are to write"
            )
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for d in node.decorator_list:
            if ast.dump(d) not in self.decorators and not is_triton(d):
                self.add(d, f"@{ast.unparse(d)} {KEEPS}")
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            if not is_constant(default):
                self.add(default, f"a default that is no constant {KEEPS}")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) != "self":
                self.add(node, f"{ast.unparse(target)} {KEEPS}")
        self.generic_visit(node)


def is_triton(decorator: ast.AST) -> bool:
    return ast.unparse(decorator).startswith(("triton.jit", "triton.autotune", "triton.heuristics"))


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_constant(node: ast.AST | None) -> bool:
    """A number, a text, a tuple or an expression of them; a type of torch; tl.constexpr(3)."""
    changing = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Lambda)
    for n in ast.walk(node) if node is not None else ():
        if isinstance(n, (*changing, ast.GeneratorExp)):
            return False
        if isinstance(n, ast.Call) and ast.unparse(n.func) not in CONSTANT:
            return False
    return True


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{a.name}" if node.module else a.name for a in node.names]
    return []


def in_triton(source: str, solution: str, op: str) -> list[str]:
    """Why `source` is no solution, one sentence with the line each."""
    tree = ast.parse(source)
    found = Reader(ast.parse(solution)).read(tree)
    if not any(isinstance(n, ast.FunctionDef) and n.name == op for n in tree.body):
        found.append(f"it has no function {op}, and the exercise is one of {op}")
    return found


_BINDING = re.compile(r"@binding\((\d+)\)\s*var<storage\s*(?:,\s*(\w+))?\s*>")


def in_wgsl(source: str, op: str, inputs: int) -> list[str]:
    """The shader reaches nothing but its buffers: what is left is to change an input, or to be no kernel of the op."""
    code = re.sub(r"//[^\n]*", "", source)
    found = []
    if not re.search(rf"@compute\b[^;{{]*\bfn\s+{op}\s*\(", code):
        found.append(f"it has no @compute fn {op}, and the exercise is one of {op}")
    writable: dict[int, list[bool]] = {}
    for m in _BINDING.finditer(code):
        writable.setdefault(int(m[1]), []).append(m[2] == "read_write")
    for binding, modes in writable.items():
        if binding < inputs and all(modes):
            found.append(f"binding {binding} is an input, and declared read_write")
    return found
