"""Pretty-printers of gdb for Purview's tensors, Dimensions and sparse buffers.

gdb loads this file by itself with the shared library, from share/gdb/auto-load of its own prefix. In other prefixes, and for programs
with the static library, ~/.gdbinit says: source PREFIX/share/purview/gdb/purview_gdb.py

Elements that lie in memory are read there: nothing is called in the program, so that cores can be looked at as well. `set print elements`
limits how many are shown (gdb's default is 200).
"""

import gdb
import gdb.printing

# What a program knows of nodes are declarations only, as their virtual functions lie in the library: their members are found by offsets.
# tests/gdb prints through them. On machines with pointers of 8 bytes.
NODE_KIND = 12
NODE_DTYPE = 16
LEAF_MEMORY = 64
ELEMENTWISE_OP = 40
LEAF, CONSTANT, ELEMENTWISE = 0, 1, 2
KINDS = ["leaf", "constant", "elementwise", "gather", "piecewise", "symbol", "reduce"]
RANK_INSIDE = 6  # kInlineRank
NAMESPACE = "purview::v0_1::"

# Element types that gdb reads under another name.
C_TYPES = {"bool": "bool", "float32": "float", "float64": "double", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
           "uint16": "unsigned short", "int32": "int", "uint32": "unsigned int", "int64": "long", "uint64": "unsigned long"}


def most_elements():
    limit = gdb.parameter("print elements")
    return 200 if limit is None else limit


def word(address, c_type="long"):
    return gdb.Value(address).cast(gdb.lookup_type(c_type).pointer()).dereference()


def list_text(numbers):
    return "[" + " ".join(str(n) for n in numbers) + "]"


def inline_vector(vector):
    return [(vector["data_"] + i).dereference() for i in range(int(vector["size_"]))]


def name_of(descriptor):
    name = descriptor["name"]
    return name["_M_str"].string(length=int(name["_M_len"]))


def number_text(value):
    """As `operator<<` writes it, but with all digits of floats."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_BOOL:
        return "true" if int(value) != 0 else "false"
    if kind.code == gdb.TYPE_CODE_INT:
        return str(int(value))
    if kind.code == gdb.TYPE_CODE_FLT:
        return repr(float(value)) if kind.sizeof == 8 else "%.9g" % float(value)
    return value.format_string()


class Dims:
    """A `purview::Dimensions`."""

    def __init__(self, value):
        outer = value["outer_"]
        self.rank = int(outer["rank"])
        self.base = int(outer["base"])
        self.strided = int(value["rest_"]["object_"]) == 0
        self.known = self.rank <= RANK_INSIDE
        inside = range(min(self.rank, RANK_INSIDE))
        self.extents = [int(outer["extents"][a]) for a in inside]
        self.strides = [int(outer["strides"][a]) for a in inside]

    def size(self):
        size = 1
        for extent in self.extents:
            size *= extent
        return size

    def shape_text(self):
        return list_text(self.extents) if self.known else "[%d axes]" % self.rank


class Elements:
    """Elements in memory, as nested brackets; of long ones the first."""

    def __init__(self, data, stride, c_type, dims):
        self.data, self.stride, self.c_type, self.dims = data, stride, c_type, dims
        self.left = most_elements()

    def text(self, axis=0, address=None):
        address = self.dims.base if address is None else address
        if axis == self.dims.rank:
            self.left -= 1
            place = gdb.Value(self.data + address * self.stride)
            return number_text(place.cast(self.c_type.pointer()).dereference())
        parts = []
        for i in range(self.dims.extents[axis]):
            if self.left <= 0:
                parts.append("...")
                break
            parts.append(self.text(axis + 1, address + i * self.dims.strides[axis]))
        return "[" + " ".join(parts) + "]"


class Node:
    def __init__(self, pointer):
        self.address = int(pointer["object_"])
        self.kind = int(word(self.address + NODE_KIND, "unsigned char"))
        descriptor = word(self.address + NODE_DTYPE)
        self.descriptor = gdb.Value(int(descriptor)).cast(gdb.lookup_type(NAMESPACE + "TypeDescriptor").pointer()).dereference()
        self.dtype = name_of(self.descriptor)

    def element_type(self, wanted):
        """The C++ type of elements: of a typed tensor its argument, else by name."""
        if wanted is not None:
            return wanted
        return gdb.lookup_type(C_TYPES[self.dtype]) if self.dtype in C_TYPES else None

    def description(self):
        if self.kind != ELEMENTWISE:
            return KINDS[self.kind] if self.kind < len(KINDS) else "?"
        number = word(self.address + ELEMENTWISE_OP, "unsigned char")
        try:
            return str(number.cast(gdb.lookup_type(NAMESPACE + "Op"))).rpartition("::")[2]
        except gdb.error:
            return KINDS[self.kind]


def operand_text(operand, wanted=None, axes=None):
    """`float64 [2 3] [[1 2 3] [4 5 6]]`, or `float64 [2 3] computed: add`."""
    node_pointer = operand["node"]
    if int(node_pointer["object_"]) == 0:
        return "no tensor"
    node = Node(node_pointer)
    dims = Dims(operand["dims"])
    text = "%s %s " % (node.dtype, axes or dims.shape_text())
    if node.kind == CONSTANT:
        return text + "constant"
    if node.kind != LEAF:
        return text + "computed: " + node.description()
    data = int(word(node.address + LEAF_MEMORY))
    if data == 0:
        return text + "read by a reader without memory"
    if not dims.strided or not dims.known:
        return text + "in memory, through lists, rotations or views of views"
    c_type = node.element_type(wanted)
    if c_type is None:
        return text + "in memory"
    return text + Elements(data, int(word(node.address + LEAF_MEMORY + 8)), c_type, dims).text()


def wanted_type(value):
    """`T` of a `Tensor<T>`."""
    try:
        return value.type.strip_typedefs().template_argument(0)
    except (gdb.error, RuntimeError):
        return None


def member(value, name):
    """A member of a base class, whatever the derived class is."""
    for field in value.type.strip_typedefs().fields():
        if field.name == name:
            return value[field]
        if field.is_base_class:
            found = member(value[field], name)
            if found is not None:
                return found
    return None


class Printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return self.text()
        except (gdb.error, gdb.MemoryError) as error:
            return "<%s>" % error

    def display_hint(self):
        return None


class TensorPrinter(Printer):
    def text(self):
        return operand_text(member(self.value, "operand_"), wanted_type(self.value))


class OperandPrinter(Printer):
    def text(self):
        return operand_text(self.value)


def dim_names(dims):
    names = []
    for dim in inline_vector(dims):
        state = dim["state_"]["object_"]
        names.append("?" if int(state) == 0 else state["name"].format_string().strip('"'))
    return names


class DimTensorPrinter(Printer):
    def text(self):
        bound = member(self.value, "bound_")
        dims = Dims(bound["operand"]["dims"])
        axes = dims.shape_text()
        if dims.known:
            names = dim_names(bound["dims"])
            axes = "[" + " ".join("%s=%d" % (names[a], extent) if a < len(names) else str(extent)
                                  for a, extent in enumerate(dims.extents)) + "]"
        if int(bound["operand"]["node"]["object_"]) == 0 or int(bound["deferred"]["object_"]) != 0:
            return "deferred, of dims " + " ".join(dim_names(bound["dims"]))
        return operand_text(bound["operand"], wanted_type(self.value), axes)


class DimensionsPrinter(Printer):
    def text(self):
        dims = Dims(self.value)
        if not dims.known:
            return "%d axes" % dims.rank
        text = "max_shape=%s strides=%s base=%d" % (list_text(dims.extents), list_text(dims.strides), dims.base)
        if not dims.strided:
            return text + " and lists, rotations or inner layers"
        return "shape=%s offsets=%s %s" % (list_text(dims.extents), list_text([0] * dims.rank), text)


class SparseBufferPrinter(Printer):
    """The number of stored pairs, and the first of them."""

    def text(self):
        store = self.value["store_"]
        stored = int(store["stored_"])
        text = "size %d, %d stored, fill %s: " % (int(self.value["size_"]), stored, number_text(self.value["fill_"]))
        indexes = store["indexes_"]
        if stored > 0 and int(indexes) == 0:
            return text + "packed indexes"
        shown = min(stored, most_elements())
        pairs = []
        for i in range(shown):
            place = gdb.Value(int(store["values_"]) + i * int(store["stride_"]))
            value = place.cast(self.value["fill_"].type.unqualified().pointer()).dereference()
            pairs.append("%d: %s" % (int(indexes[i]), number_text(value)))
        return text + "{" + ", ".join(pairs + ["..."] * (shown < stored)) + "}"


class DimPrinter(Printer):
    def text(self):
        state = self.value["state_"]["object_"]
        if int(state) == 0:
            return "no dim"
        size = int(state["size"]["_M_i"])
        name = state["name"].format_string().strip('"')
        return name if size < 0 else "%s=%d" % (name, size)


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("purview")
    tensors = r"(Tensor|MutableTensor|GatheredTensor)<.*>"
    collection.add_printer("tensor", "^" + NAMESPACE + r"(%s|AnyTensor|TensorHandle)$" % tensors, TensorPrinter)
    collection.add_printer("dim_tensor", "^" + NAMESPACE + r"((Mutable|Gathered)?DimTensor<.*>|AnyDimTensor)$", DimTensorPrinter)
    collection.add_printer("operand", "^" + NAMESPACE + r"Operand$", OperandPrinter)
    collection.add_printer("dimensions", "^" + NAMESPACE + r"Dimensions$", DimensionsPrinter)
    collection.add_printer("sparse_buffer", "^" + NAMESPACE + r"SparseBuffer<.*>$", SparseBufferPrinter)
    collection.add_printer("dim", "^" + NAMESPACE + r"Dim$", DimPrinter)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
