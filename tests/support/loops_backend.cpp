#include "support/loops_backend.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace oracle {
namespace {

namespace pv = purview;
using pv::index_t;
using pv::Operand;

std::atomic<int> done{0};

/// An element of any built-in type.
struct Value {
    alignas(16) std::byte bytes[16]{};

    template <typename T>
    T as() const {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    template <typename T>
    static Value of(T value) {
        Value made;
        std::memcpy(made.bytes, &value, sizeof(T));
        return made;
    }
};

pv::Shape coordinates_of(pv::ShapeSpan shape, index_t index) {
    pv::Shape at(shape.size(), 0);
    for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
        at[axis] = index % shape[axis];
    return at;
}

/// The operand of one element as a constant.
Operand constant_of(pv::DType dtype, const Value& value) {
    return pv::visit_dtype(dtype, "loops", [&]<typename T>(std::type_identity<T>) {
        return pv::constant_operand(value.as<T>(), pv::Shape{});
    });
}

Value element_of(const Operand& x, pv::ShapeSpan at);

Value element_of(const pv::Elementwise& operation, index_t address) {
    const pv::Shape at = coordinates_of(operation.shape(), address);
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < operation.inputs().size(); ++i) {
        const Operand x = operation.operand(i);
        operands.push_back(constant_of(x.dtype(), element_of(x, at)));
    }
    const auto on = [&](auto... x) {
        return pv::elementwise<sizeof...(x)>(operation.op(), operation.dtype(), {x...},
                                             operation.shared_function());
    };
    const Operand result = operands.size() == 1   ? on(operands[0])
                           : operands.size() == 2 ? on(operands[0], operands[1])
                                                  : on(operands[0], operands[1], operands[2]);
    Value value;
    result.node->read(result.dims, 0, 1, value.bytes);
    return value;
}

/// The coordinates at which a gather reads its source.
pv::Shape gathered_at(const pv::Gather& gather, index_t address) {
    const pv::Shape at = coordinates_of(gather.shape(), address);
    const pv::ShapeSpan extents = gather.source().dims.max_shape();
    pv::Shape place;
    for (std::size_t axis = 0; axis < gather.axes().size(); ++axis) {
        const pv::GatherAxis& from = gather.axes()[axis];
        if (!from.computed) {
            place.push_back(at[static_cast<std::size_t>(from.number)]);
            continue;
        }
        const Operand& index = gather.indexes()[static_cast<std::size_t>(from.number)];
        auto i = element_of(index, at).as<std::int64_t>();
        if (i < 0) i += extents[axis];
        if (i < 0 || i >= extents[axis]) throw pv::IndexError("loops: an index is out of range");
        place.push_back(i);
    }
    return place;
}

Value element_of(const pv::Piecewise& pieces, index_t address) {
    const pv::Shape at = coordinates_of(pieces.shape(), address);
    for (std::size_t p = 0; p < pieces.operands().size(); ++p) {
        const Operand& piece = pieces.operands()[p];
        pv::Shape inside = at;
        bool is_inside = true;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            inside[axis] -= pieces.begins()[p][axis];
            is_inside &= inside[axis] >= 0 && inside[axis] < piece.dims.max_shape()[axis];
        }
        if (is_inside) return element_of(piece, inside);
    }
    throw pv::Error("loops: a coordinate is in no piece");
}

Value element_of(const Operand& x, pv::ShapeSpan at) {
    const index_t address = x.dims.global_to_local(at);
    Value value;
    pv::visit(
        *x.node, [&](const pv::Leaf& leaf) { leaf.reader().read_into(address, 1, 1, value.bytes); },
        [&](const pv::Constant& constant) { constant.read(pv::Dimensions(), 0, 1, value.bytes); },
        [&](const pv::Gather& gather) {
            value = element_of(gather.source(), gathered_at(gather, address));
        },
        [&](const pv::OneOf<pv::Elementwise, pv::Piecewise> auto& node) {
            value = element_of(node, address);
        },
        [](const pv::StageNodeOr<pv::SymbolNode> auto&) {
            throw pv::Error("loops: a symbol has no elements");
        });
    return value;
}

std::vector<Value> elements_of(const Operand& x) {
    std::vector<Value> values;
    for (index_t i = 0; i < x.dims.size(); ++i)
        values.push_back(element_of(x, coordinates_of(x.dims.max_shape(), i)));
    return values;
}

/// Whether nodes below are few, counted as a tree, and of kinds that loops read.
bool are_few(const Operand& x, int& left) {
    if (--left < 0 || !x.dtype().is_builtin()) return false;
    return pv::visit(
        *x.node, [](const pv::OneOf<pv::Leaf, pv::Constant> auto&) { return true; },
        [&](const pv::OneOf<pv::Elementwise, pv::Gather, pv::Piecewise> auto& node) {
            return std::ranges::all_of(pv::operands_of(node),
                                       [&](const Operand& each) { return are_few(each, left); });
        },
        [](const pv::StageNodeOr<pv::SymbolNode> auto&) { return false; });
}

/// One element joined to a fold. Sums and products of integers wrap.
template <typename T>
T joined(pv::Reduction reduction, T folded, T value) {
    const auto wrapped = [&](auto f) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            return static_cast<T>(
                f(static_cast<std::uint64_t>(folded), static_cast<std::uint64_t>(value)));
        } else {
            return static_cast<T>(f(folded, value));
        }
    };
    switch (reduction) {
    case pv::Reduction::sum: return wrapped([](auto a, auto b) { return a + b; });
    case pv::Reduction::product: return wrapped([](auto a, auto b) { return a * b; });
    case pv::Reduction::minimum:
        return folded != folded ? folded : value != value || value < folded ? value : folded;
    case pv::Reduction::maximum:
        return folded != folded ? folded : value != value || folded < value ? value : folded;
    case pv::Reduction::any_of: return static_cast<T>(folded != T{} || value != T{});
    case pv::Reduction::all_of: return static_cast<T>(folded != T{} && value != T{});
    }
    return folded;
}

template <typename T>
T start_of(pv::Reduction reduction) {
    using Limits = std::numeric_limits<T>;
    constexpr T kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    constexpr T kMost = Limits::has_infinity ? Limits::infinity() : Limits::max();
    switch (reduction) {
    case pv::Reduction::minimum: return kMost;
    case pv::Reduction::maximum: return kLeast;
    case pv::Reduction::product:
    case pv::Reduction::all_of: return T{1};
    default: return static_cast<T>(-0.0); // of floats: what adds nothing to -0
    }
}

template <typename T>
std::vector<Value> fold(const pv::work::Fold& how, const std::vector<Value>& values) {
    std::vector<Value> results;
    const auto groups = static_cast<std::size_t>(how.groups);
    const std::size_t length = groups == 0 ? 0 : values.size() / groups;
    for (std::size_t g = 0; g < groups; ++g) {
        // The exact sum of floats, rounded once: within the bounds of every order.
        constexpr bool kIsFloat = std::is_floating_point_v<T>;
        std::conditional_t<kIsFloat, long double, T> folded = start_of<T>(how.reduction);
        if (length == 0 && how.reduction == pv::Reduction::sum) folded = 0;
        const bool multiplies = kIsFloat && how.reduction == pv::Reduction::product;
        long exponent =
            0; // of a product of floats, which may leave the range of its type on the way
        for (std::size_t i = 0; i < length; ++i) {
            folded = joined<decltype(folded)>(how.reduction, folded,
                                              values[g * length + i].template as<T>());
            if constexpr (kIsFloat) {
                int power = 0;
                if (multiplies) folded = std::frexp(folded, &power);
                exponent += power;
            }
        }
        if constexpr (kIsFloat) {
            if (multiplies) folded = std::scalbln(folded, exponent);
            if (how.averages) folded = static_cast<T>(folded) / static_cast<T>(length);
        }
        results.push_back(Value::of(static_cast<T>(folded)));
    }
    return results;
}

template <typename T>
std::vector<Value> scan(const pv::work::Scan& how, std::vector<Value> values) {
    const auto inner = static_cast<std::size_t>(how.inner);
    const auto block = static_cast<std::size_t>(how.length) * inner;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i % block >= inner)
            values[i] = Value::of(joined<T>(how.reduction, values[i - inner].template as<T>(),
                                            values[i].template as<T>()));
    return values;
}

template <typename T>
std::vector<Value> sort(const pv::work::Sort& how, const std::vector<Value>& values) {
    std::vector<Value> results;
    const auto groups = static_cast<std::size_t>(how.groups);
    const std::size_t length = groups == 0 ? 0 : values.size() / groups;
    for (std::size_t g = 0; g < groups; ++g) {
        std::vector<std::size_t> order(length);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto at = [&](std::size_t i) { return values[g * length + i].template as<T>(); };
        std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
            const T a = at(i);
            const T b = at(j);
            if (a != a || b != b) return a == a;
            return how.order == pv::SortOrder::ascending ? a < b : b < a;
        });
        for (const std::size_t i : order)
            results.push_back(how.indexes ? Value::of(static_cast<std::int64_t>(i))
                                          : Value::of(at(i)));
    }
    return results;
}

template <typename T>
T scattered(pv::ScatterKind kind, T element, T value) {
    switch (kind) {
    case pv::ScatterKind::assign: return value;
    case pv::ScatterKind::add: return joined(pv::Reduction::sum, element, value);
    case pv::ScatterKind::least: return joined(pv::Reduction::minimum, element, value);
    case pv::ScatterKind::greatest: return joined(pv::Reduction::maximum, element, value);
    }
    return value;
}

class Loops final : public pv::Backend {
public:
    std::string_view name() const noexcept override { return "loops"; }

    Operand results_like(std::span<const Operand> sources, pv::DType dtype,
                         pv::ShapeSpan shape) const override {
        const Operand here = pv::cpu().results_like(sources, dtype, shape);
        const bool away = std::ranges::any_of(
            sources, [](const Operand& x) { return x.node->reads(pv::Below::device); });
        return away && dtype.is_builtin() ? elsewhere(here) : here;
    }

    bool takes(const pv::Work& work) const override {
        int left = 64;
        const Operand& source = work.sources.front();
        if (std::holds_alternative<pv::work::Softmax>(work.verb) ||
            source.node->reads(pv::Below::sparse | pv::Below::symbol) ||
            work.destination.node->reads(pv::Below::sparse) || source.dims.size() > 2000)
            return false;
        return are_few(source, left) && are_few(work.destination, left);
    }

    void run(const pv::Work& work) const override {
        ++done;
        try {
            pv::visit_dtype(work.sources.front().dtype(), "loops",
                            [&]<typename T>(std::type_identity<T>) { run_as<T>(work); });
        } catch (const pv::Error&) { // which the CPU words better
            pv::cpu().run(work);
        }
    }

    std::string describe(const pv::Work& work) const override {
        return "way: nested loops over " + std::to_string(work.sources.front().dims.size()) +
               " elements\n";
    }

private:
    /// Everything is read before anything is written.
    template <typename T>
    static void run_as(const pv::Work& work) {
        std::vector<Value> values = elements_of(work.sources.front());
        std::vector<index_t> addresses;
        const Operand& to = work.destination;
        const auto* const gather = pv::node_as<pv::Gather>(*to.node);
        for (index_t i = 0; i < to.dims.size(); ++i) {
            const index_t address = to.dims.global_to_local(i);
            addresses.push_back(gather == nullptr ? address
                                                  : gather->source().dims.global_to_local(
                                                        gathered_at(*gather, address)));
        }
        const pv::Leaf& leaf = *pv::leaf_of(gather == nullptr ? to : gather->source());
        const auto* const scatter = std::get_if<pv::work::Scatter>(&work.verb);
        if (const auto* const how = std::get_if<pv::work::Fold>(&work.verb))
            values = fold<T>(*how, values);
        else if (const auto* const lanes = std::get_if<pv::work::Scan>(&work.verb))
            values = scan<T>(*lanes, std::move(values));
        else if (const auto* const order = std::get_if<pv::work::Sort>(&work.verb))
            values = sort<T>(*order, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            Value element = values[i];
            if (scatter != nullptr) {
                leaf.reader().read_into(addresses[i], 1, 1, element.bytes);
                element = Value::of(scattered(scatter->kind, element.as<T>(), values[i].as<T>()));
            }
            leaf.writer()->write_from(addresses[i], 1, 1, element.bytes);
        }
    }
};

/// Elements of which only blocks can be read and written.
template <typename T>
class Away final : public pv::ReadWriter<T> {
public:
    explicit Away(std::vector<T> elements) : elements_(std::move(elements)) {}

    index_t size() const override { return std::ssize(elements_); }
    T read(index_t i) const override { return elements_[static_cast<std::size_t>(i)]; }
    using pv::Writer<T>::write;
    void write(index_t i, const T& value) override {
        elements_[static_cast<std::size_t>(i)] = value;
    }
    const pv::Backend* backend() const noexcept override { return &loops_backend(); }

private:
    std::vector<T> elements_;
};

} // namespace

const pv::Backend& loops_backend() {
    static const Loops backend;
    return backend;
}

int loops_done() noexcept { return done; }

Operand elsewhere(const Operand& x) {
    return pv::visit_dtype(x.dtype(), "elsewhere", [&]<typename T>(std::type_identity<T>) {
        std::vector<T> elements(static_cast<std::size_t>(x.dims.size()));
        index_t i = 0;
        for (const Value& value : elements_of(x))
            elements[static_cast<std::size_t>(i++)] = value.as<T>();
        return pv::operand_over(std::make_shared<Away<T>>(std::move(elements)),
                                pv::Dimensions::row_major(x.dims.max_shape()));
    });
}

} // namespace oracle
