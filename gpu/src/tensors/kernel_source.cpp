#include "device_reader.hpp"

#include "../kernels/text.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/gpu/kernel_source.hpp>

#include <fmt/format.h>

#include <memory>
#include <vector>

namespace purview::inline v0_1::gpu {
namespace {

using namespace detail;

/// What a kernel before leaves: elements that are nowhere.
template <typename T>
class Nowhere final : public Reader<T> {
public:
    explicit Nowhere(index_t size) : size_(size) {}
    index_t size() const override { return size_; }
    T read(index_t) const override { throw DeviceError("kernel_source: an element was read"); }

private:
    index_t size_;
};

template <typename T>
bool is_nowhere(const AnyReader& reader) {
    return dynamic_cast<const Nowhere<T>*>(&reader) != nullptr;
}

/// Takes all that has memory for elements on a device.
class PlacesAnywhere final : public Places {
public:
    bool find(const AnyReader& reader, Place& place) const override {
        const DType dtype = reader.dtype();
        const bool nowhere =
            dtype.is_builtin() &&
            visit_dtype(dtype, "kernel_source",
                        [&]<typename T>(std::type_identity<T>) { return is_nowhere<T>(reader); });
        if (!nowhere && !reader.memory() && buffer_of(reader) == nullptr) return false;
        place = {};
        place.handle = reinterpret_cast<std::uintptr_t>(&reader);
        place.bytes = static_cast<std::size_t>(reader.size() * dtype.size_bytes());
        return true;
    }
};

NodePtr leaf_like(const Node& node) {
    const index_t size = Dimensions::row_major(shape_of(node)).size();
    return visit_dtype(node.dtype(), "kernel_source", [&]<typename T>(std::type_identity<T>) {
        return NodePtr(make_node<Leaf>(std::make_shared<const Nowhere<T>>(size)));
    });
}

void add_texts(Operand source, Dialect dialect, std::vector<std::string>& texts) {
    const PlacesAnywhere places;
    Lowered lowered;
    ResultPlace to;
    to.place.handle = 1;
    to.dims = Dimensions::row_major(source.dims.max_shape());
    while (true) {
        lower(lowered, source, to, places, {}, "kernel_source");
        const NodePtr cut = lowered.cut;
        if (cut == nullptr) break;
        add_texts({cut, Dimensions::row_major(shape_of(*cut))}, dialect, texts);
        const NodePtr computed = leaf_like(*cut);
        source = rewritten({&source, 1}, [&](const Node& each, NodePtr own) {
            return &each == cut.get() ? computed : own;
        })[0];
    }
    texts.push_back(source_of(lowered, dialect));
}

} // namespace

std::string kernel_source(const AnyTensor& x, std::string_view dialect) {
    if (dialect != "cuda" && dialect != "opencl")
        throw DeviceError(
            fmt::format("kernel_source: there is no dialect '{}', but cuda and opencl", dialect));
    std::vector<std::string> texts;
    add_texts(x.operand(), dialect == "cuda" ? Dialect::cuda : Dialect::opencl, texts);
    if (texts.size() == 1) return std::move(texts.front());
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i)
        all += fmt::format("// kernel {}\n{}", i + 1, texts[i]);
    return all;
}

} // namespace purview::gpu
