// Arrays in chunks: the cache, its limit, and what other libraries have in chunks.

#include "chunks.hpp"

#include "array_class.hpp"
#include "as_array.hpp"
#include "callback.hpp"
#include "copies.hpp"
#include "cycles.hpp"
#include "interpreter_lock.hpp"
#include "raised.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/explained_call.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/functional/assembly/blocks.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/reader/chunks.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace purview_python {
namespace {

pv::Shape shape_from(nb::handle extents) {
    pv::Shape shape;
    for (nb::handle each : extents) shape.push_back(nb::cast<Py_ssize_t>(each));
    return shape;
}

/// A Python object with `shape` and `[]`, in chunks.
class PythonChunks final : public pv::AnyReader, public pv::Chunks {
public:
    PythonChunks(nb::object array, pv::DType type, pv::ChunkGrid grid)
        : Chunks(std::move(grid)), type_(type), array_(std::move(array)) {}

    pv::DType dtype() const noexcept override { return type_; }
    pv::index_t size() const override { return element_count(); }
    const Chunks* chunks() const noexcept override { return this; }
    void read_into(pv::index_t begin, pv::index_t step, pv::index_t count,
                   void* out) const override {
        read_elements(begin, step, count, out);
    }
    void gather_into(std::span<const pv::index_t> indexes, void* out) const override {
        gather_elements(indexes, out);
    }

    pv::DType element_type() const noexcept override { return type_; }
    bool read_chunk_into(pv::ShapeSpan at, void* out) const override {
        pv::Shape begin;
        pv::Shape extents;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            begin.push_back(at[axis] * grid().chunk[axis]);
            extents.push_back(std::min(grid().chunk[axis], grid().shape[axis] - begin[axis]));
        }
        const Array part = calling_python([&] { return part_at(begin, extents); });
        pv::OperandBoxes(part.operand())
            .read({extents, grid().chunk}, pv::Shape(extents.size(), 0), out);
        return true;
    }
    void fill_into(void* out) const override { // no chunk is all fill
        if (type_.descriptor().trivial)
            std::memset(out, 0, static_cast<std::size_t>(type_.size_bytes()));
    }
    const Callback& callback() const noexcept { return array_; }

private:
    Array part_at(pv::ShapeSpan begin, pv::ShapeSpan extents) const {
        nb::list slices;
        for (std::size_t axis = 0; axis < begin.size(); ++axis)
            slices.append(nb::slice(begin[axis], begin[axis] + extents[axis]));
        const nb::tuple key(slices);
        const nb::object got = running_python([&] { return nb::object(array_.get()[key]); });
        Array part = as_array(got, type_);
        if (!std::ranges::equal(part.dimensions().max_shape(), extents))
            throw pv::ShapeError("from_chunks: elements of the shape " + pv::to_string(extents) +
                                 " were asked for, and those given have the shape " +
                                 pv::to_string(part.dimensions().max_shape()));
        return part;
    }

    pv::DType type_;
    Callback array_;
};

/// A block's place and elements, which are read without the interpreter's lock.
nb::tuple block_at(const pv::OperandBlocks& blocks, pv::index_t number) {
    const Array part(blocks.part(number));
    return nb::make_tuple(to_tuple(blocks.begin(number)), object_of(realised(part)));
}

int visit_blocks(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    return visit_below(nb::inst_ptr<pv::OperandBlocks>(self)->operand(), visit, arg);
}

int clear_blocks(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    pv::OperandBlocks nothing(pv::constant_operand(false), {});
    std::swap(*nb::inst_ptr<pv::OperandBlocks>(self), nothing);
    return 0;
}

PyType_Slot slots_of_blocks[] = {{Py_tp_traverse, reinterpret_cast<void*>(&visit_blocks)},
                                 {Py_tp_clear, reinterpret_cast<void*>(&clear_blocks)},
                                 {0, nullptr}};

} // namespace

void bind_chunks(nb::module_& module) {
    module.def(
        "memory_limit", &pv::memory_limit,
        "The most bytes that cached chunks, and what is held while arrays in chunks are walked, may have together. At first "
        "PURVIEW_MEMORY_LIMIT of the environment, else a quarter of the memory of the machine or of its cgroup.");
    module.def(
        "set_memory_limit",
        [](Py_ssize_t bytes) {
            const Unlocked unlocked;
            pv::set_memory_limit(bytes);
        },
        nb::arg("bytes"),
        "Sets the limit that `memory_limit()` tells, and drops cached chunks beyond it. ShapeError of a negative one. What needs more raises "
        "MemoryLimitError.");
    module.def(
        "temporary_directory",
        [] {
            const std::string folder = pv::temporary_directory();
            return nb::str(folder.data(), folder.size());
        },
        "Where what has no room in memory is kept meanwhile, in files without names: TMPDIR of the environment, "
        "else /tmp.");
    module.def(
        "temporary_limit", &pv::temporary_limit,
        "The most bytes that these files may have together. At first PURVIEW_TEMPORARY_LIMIT of the environment, "
        "else no limit.");
    module.def(
        "set_temporary_limit", [](Py_ssize_t bytes) { pv::set_temporary_limit(bytes); },
        nb::arg("bytes"),
        "Sets the limit that `temporary_limit()` tells. ShapeError of a negative one. What needs more raises "
        "MemoryLimitError before it begins; what the disk has no room for, FormatError.");
    module.def(
        "drop_cached_chunks",
        [] {
            const Unlocked unlocked;
            pv::drop_cached_chunks();
        },
        "Drops all cached chunks, so that they are read again: what others have written meanwhile is seen.");
    module.def(
        "reset_chunk_statistics",
        [] {
            const Unlocked unlocked;
            pv::reset_chunk_statistics();
        },
        "Sets what `chunk_statistics()` counts to 0.");
    // No Exception: code of the call does not catch it.
    module.attr("_ExplainedCall") =
        nb::steal(PyErr_NewException("purview._core._ExplainedCall", PyExc_BaseException, nullptr));
    module.def("_explain_call", [module = nb::handle(module)](const nb::callable& call) {
        return pv::explain_call([&] {
            try {
                call();
            } catch (const nb::python_error& error) {
                if (!error.matches(module.attr("_ExplainedCall"))) throw;
                throw pv::ExplainedCall{nb::cast<std::string>(nb::str(error.value()))};
            }
        });
    });
    module.def("_chunk_statistics", [] {
        const pv::ChunkStatistics counts = [] {
            const Unlocked unlocked;
            return pv::chunk_statistics();
        }();
        return nb::make_tuple(counts.chunks_read, counts.chunks_written, counts.cache_hits,
                              counts.bytes_read, counts.peak_bytes);
    });
    module.def("_chunked", [](nb::handle x, nb::handle chunk) {
        return Array(pv::chunked_operand_of(as_array(x).operand(), shape_from(chunk)));
    });
    nb::class_<pv::OperandBlocks>(module, "_Blocks", nb::type_slots(slots_of_blocks))
        .def("__init__",
             [](pv::OperandBlocks* self, nb::handle x, nb::handle shape) {
                 new (self) pv::OperandBlocks(as_array(x).operand(), shape_from(shape));
             })
        .def_prop_ro("count", &pv::OperandBlocks::count)
        .def("block", &block_at);
    module.def("_from_chunks", [](nb::object array, pv::DType type, nb::handle shape,
                                  nb::handle chunk) {
        pv::ChunkGrid grid{shape_from(shape), shape_from(chunk)};
        for (std::size_t axis = 0; axis < std::min(grid.shape.size(), grid.chunk.size()); ++axis)
            grid.chunk[axis] =
                std::min(grid.chunk[axis], std::max(grid.shape[axis], pv::index_t{1}));
        const auto made = std::make_shared<const PythonChunks>(std::move(array), type, grid);
        const std::shared_ptr<const pv::AnyReader> reader = made;
        made->callback().list(reader);
        return Array(
            pv::Operand{pv::make_node<pv::Leaf>(reader), pv::Dimensions::row_major(grid.shape)});
    });
}

} // namespace purview_python
