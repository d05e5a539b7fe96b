// Defines lowered.hpp: from an expression to steps.
#include "lowered.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/progression.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/reader/range_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace purview::gpu::detail {
namespace {

/// A node seen through Dimensions, at coordinates of a frame. Without a node, the addresses themselves.
struct Found {
    const Node* node = nullptr;
    Dimensions view;
    std::uint16_t frame = 0;
};

/// A node whose operands are being visited.
struct Visit {
    Found at;
    InlineVector<std::uint16_t, 4> done; ///< values of the operands so far
    std::uint32_t first_value = 0;
};

template <typename T>
std::uint64_t bits_of(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

/// The leaf that small progressions are views of: its element a is a less an offset.
const Node& table_of_indexes() {
    static const NodePtr& table = *new NodePtr(progression_operand(0, 0).node);
    return *table;
}

class Lowering {
public:
    Lowering(Lowered& out, const Places& places, const char* what)
        : out_(out), places_(places), what_(what) {
        static thread_local std::vector<Found> found;
        static thread_local std::vector<Visit> visits;
        found_.swap(found), kept_found_ = &found;
        visits_.swap(visits), kept_visits_ = &visits;
    }
    Lowering(const Lowering&) = delete;
    ~Lowering() {
        found_.clear();
        visits_.clear();
        kept_found_->swap(found_);
        kept_visits_->swap(visits_);
    }

    void run(const Operand& root, const Destination& to, bool find_first) {
        root_ = &root;
        const Stored type = find_first ? Stored::int64 : type_of(*root.node);
        add_use(Use::buffer, type, to.dims, 0).place = to.place;
        out_.frames.emplace_back();
        std::uint16_t result = 0;
        if (!open({root.node.get(), root.dims, 0}, result)) result = visit_all();
        out_.result = result;
    }

private:
    std::uint16_t visit_all() {
        std::uint16_t result = 0;
        while (out_.cut == nullptr) {
            Visit& top = visits_.back();
            Found next;
            if (next_operand(top, next)) {
                if (open(std::move(next), result)) visits_.back().done.push_back(result);
                continue;
            }
            result = close(top);
            visits_.pop_back();
            if (visits_.empty()) return result;
            visits_.back().done.push_back(result);
        }
        return result;
    }

    /// True where the value is known at once; else there is a visit more.
    bool open(Found f, std::uint16_t& value) {
        if (f.node == nullptr) {
            value = known(f);
            if (value == kNoValue) value = add_coordinates(std::move(f));
            return true;
        }
        const Node& node = *f.node;
        const bool shared = node.is_shared() || node.kind() <= NodeKind::constant;
        if (shared && (value = known(f)) != kNoValue) return true;
        switch (node.kind()) {
        case NodeKind::constant:
            value = add_constant(f, static_cast<const Constant&>(node).value());
            return true;
        case NodeKind::leaf: value = add_leaf(std::move(f)); return true;
        case NodeKind::elementwise: {
            const auto& operation = static_cast<const Elementwise&>(node);
            if (operation.op() == Op::map) throw_no_form(name_of(operation));
            if (repeats_much(operation, f.view)) cut(node, "a view repeats what is costly");
            break;
        }
        case NodeKind::gather:
        case NodeKind::piecewise: break;
        default: throw_no_form("symbols and what computations alone have");
        }
        (void)type_of(node);
        if (shared && views_of(node) >= kMaxViews)
            cut(node, "it is seen through several views, and would be computed for each");
        Visit visit;
        visit.at = std::move(f);
        visit.first_value = static_cast<std::uint32_t>(out_.values.size());
        visits_.push_back(std::move(visit));
        return false;
    }

    /// The next operand of a node to visit; false if there are no more.
    bool next_operand(Visit& visit, Found& next) {
        const Found& at = visit.at;
        const std::size_t i = visit.done.size();
        switch (at.node->kind()) {
        case NodeKind::elementwise: {
            const auto& e = static_cast<const Elementwise&>(*at.node);
            if (i == e.inputs().size()) return false;
            const Input& input = e.inputs()[i];
            next.node = input.node.get();
            next.frame = at.frame;
            if (next.node->kind() == NodeKind::constant) return true;
            next.view = input.view == nullptr ? at.view : composed(at.view, input.view->dims);
            return true;
        }
        case NodeKind::gather: {
            const auto& g = static_cast<const Gather&>(*at.node);
            const std::size_t axes = g.axes().size();
            if (i == axes + 1) return false;
            if (i == axes) {
                next = {g.source().node.get(), g.source().dims, gather_frame(visit, g)};
                return true;
            }
            const GatherAxis& axis = g.axes()[i];
            if (!axis.computed) {
                next = coordinate(at, g.shape(), static_cast<std::size_t>(axis.number));
                return true;
            }
            const Operand& index = g.indexes()[static_cast<std::size_t>(axis.number)];
            next = {index.node.get(), composed(at.view, index.dims), at.frame};
            return true;
        }
        default: {
            const auto& p = static_cast<const Piecewise&>(*at.node);
            const std::size_t rank = p.shape().size();
            if (i < rank) {
                next = coordinate(at, p.shape(), i);
                return true;
            }
            if (i == rank + p.operands().size()) return false;
            const Operand& piece = p.operands()[i - rank];
            next = {piece.node.get(), piece.dims, piece_frame(visit, p, i - rank)};
            return true;
        }
        }
    }

    static Dimensions composed(const Dimensions& view, const Dimensions& dims) {
        if (view.is_identity() && std::ranges::equal(view.max_shape(), dims.max_shape()))
            return dims;
        return dimensions::compose(view, dims);
    }
    /// The coordinates along an axis of what is seen, as a node of its own.
    static Found coordinate(const Found& at, ShapeSpan shape, std::size_t axis) {
        Shape strides(shape.size(), 0);
        strides[axis] = 1;
        return {nullptr, composed(at.view, Dimensions::strided(shape, strides)), at.frame};
    }

    std::uint16_t close(Visit& visit) {
        const Node& node = *visit.at.node;
        if (node.kind() == NodeKind::elementwise) {
            Value v;
            v.what = Value::operation;
            v.type = type_of(node);
            v.op = static_cast<const Elementwise&>(node).op();
            v.count = static_cast<std::uint8_t>(visit.done.size());
            std::copy(visit.done.begin(), visit.done.end(), v.operand);
            v.guard = out_.frames[visit.at.frame].guard;
            const Stored in = out_.values[v.operand[0]].type;
            const bool divides = v.op == Op::divide || v.op == Op::remainder;
            out_.checked |=
                (divides && is_integer(in)) || (v.op == Op::cast && can_misfit(in, v.type));
            if (++operations_ > kMaxOperations) cut_heaviest("it has more than 256 operations");
            heaviest(visit);
            return add(std::move(visit.at), v);
        }
        std::uint16_t result = visit.done.back();
        if (node.kind() == NodeKind::piecewise) {
            const std::size_t rank = static_cast<const Piecewise&>(node).shape().size();
            for (std::size_t p = visit.done.size() - 1; p-- > rank;) {
                Value v;
                v.what = Value::operation;
                v.op = Op::choose;
                v.type = type_of(node);
                v.count = 3;
                v.operand[0] = guards_[first_guard(visit) + p - rank];
                v.operand[1] = visit.done[p];
                v.operand[2] = result;
                result = add_value(v);
            }
        }
        heaviest(visit);
        return remember(std::move(visit.at), result);
    }

    // --- frames --------------------------------------------------------------------------------------

    std::uint16_t gather_frame(const Visit& visit, const Gather& g) {
        Frame frame;
        frame.guard = out_.frames[visit.at.frame].guard;
        const ShapeSpan shape = g.source().dims.max_shape();
        for (std::size_t a = 0; a < shape.size(); ++a) {
            std::uint16_t at = visit.done[a];
            if (g.axes()[a].computed) {
                Value v;
                v.what = Value::index;
                v.type = Stored::int64;
                v.count = 1;
                v.operand[0] = at;
                v.guard = frame.guard;
                v.number = add_numbers({shape[a]});
                at = add_value(v);
                out_.checked = true;
            }
            frame.coordinates.push_back(at);
        }
        return add_frame(std::move(frame));
    }
    std::uint16_t piece_frame(const Visit& visit, const Piecewise& p, std::size_t piece) {
        Frame frame;
        frame.guard = out_.frames[visit.at.frame].guard;
        const ShapeSpan shape = p.operands()[piece].dims.max_shape();
        for (std::size_t a = 0; a < shape.size(); ++a) {
            Value v;
            v.what = Value::inside;
            v.type = Stored::boolean;
            v.count = static_cast<std::uint8_t>(frame.guard == kNoValue ? 1 : 2);
            v.operand[0] = visit.done[a];
            v.operand[1] = frame.guard;
            v.number = add_numbers({p.begins()[piece][a], shape[a]});
            const bool whole = p.begins()[piece][a] == 0 && shape[a] == p.shape()[a];
            if (!whole || (a + 1 == shape.size() && frame.guard == kNoValue))
                frame.guard = add_value(v);
            v.what = Value::coordinate;
            v.type = Stored::int64;
            v.count = 1;
            frame.coordinates.push_back(add_value(v));
        }
        if (piece == 0) first_guards_.emplace_back(visits_.size(), guards_.size());
        guards_.resize(first_guard(visit) + piece);
        guards_.push_back(frame.guard);
        return add_frame(std::move(frame));
    }
    /// Where the guards of the pieces of the node on top begin in `guards_`.
    std::size_t first_guard(const Visit&) {
        while (first_guards_.back().first > visits_.size()) first_guards_.pop_back();
        return first_guards_.back().second;
    }
    std::uint16_t add_frame(Frame frame) {
        out_.frames.push_back(std::move(frame));
        return static_cast<std::uint16_t>(out_.frames.size() - 1);
    }
    std::uint32_t add_numbers(std::initializer_list<index_t> numbers) {
        out_.numbers.insert(out_.numbers.end(), numbers);
        return static_cast<std::uint32_t>(out_.numbers.size() - numbers.size());
    }

    // --- values --------------------------------------------------------------------------------------

    std::uint16_t add_value(const Value& v) {
        out_.values.push_back(v);
        return static_cast<std::uint16_t>(out_.values.size() - 1);
    }
    std::uint16_t remember(Found f, std::uint16_t value) {
        found_.push_back(std::move(f));
        known_values_.push_back(value);
        return value;
    }
    std::uint16_t add(Found f, const Value& v) { return remember(std::move(f), add_value(v)); }

    /// The value of the same node seen in the same way, or kNoValue.
    std::uint16_t known(const Found& f) const {
        for (std::size_t i = 0; i < found_.size(); ++i)
            if (found_[i].node == f.node &&
                ((f.node != nullptr && f.node->kind() == NodeKind::constant) ||
                 (found_[i].frame == f.frame && found_[i].view == f.view)))
                return known_values_[i];
        return kNoValue;
    }
    std::size_t views_of(const Node& node) const {
        return static_cast<std::size_t>(std::ranges::count(found_, &node, &Found::node));
    }

    Stored type_of(const Node& node) const {
        if (const auto type = stored_type(node.dtype())) return *type;
        throw DeviceError(
            fmt::format("{}: elements of type {} have no form on a device: to_host(x) first", what_,
                        node.dtype().name()));
    }
    std::uint16_t add_constant(Found f, const void* bytes) {
        Value v;
        v.what = Value::constant;
        v.type = type_of(*f.node);
        v.number = static_cast<std::uint32_t>(out_.constants.size());
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes, bytes_of(v.type));
        if (v.type == Stored::boolean) bits = bits != 0 ? 1 : 0;
        if (v.type == Stored::float16)
            bits = bits_of(half_value(static_cast<std::uint16_t>(bits)));
        else if (v.type == Stored::bfloat16)
            bits = bits_of(bfloat16_value(static_cast<std::uint16_t>(bits)));
        out_.constants.push_back(bits);
        out_.constant_types.push_back(is_half(v.type) ? Stored::float32 : v.type);
        return add(std::move(f), v);
    }
    std::uint16_t add_coordinates(Found f) {
        Use& use = add_use(Use::formula, Stored::int64, f.view, f.frame);
        use.step = 1;
        return add_element(std::move(f));
    }
    std::uint16_t add_element(Found f) {
        Value v;
        v.type = out_.uses.back().type;
        v.number = static_cast<std::uint32_t>(out_.uses.size() - 1);
        if (out_.uses.size() > kMaxUses) cut_heaviest("it reads more than 47 operands");
        return add(std::move(f), v);
    }
    std::uint16_t add_leaf(Found f) {
        const auto& leaf = static_cast<const Leaf&>(*f.node);
        const Stored type = type_of(leaf);
        Place place;
        if (places_.find(leaf.reader(), place)) {
            Use& use = add_use(Use::buffer, type, f.view, f.frame);
            use.place = place;
            return add_element(std::move(f));
        }
        if (is_formula(leaf, f)) return add_element(std::move(f));
        const AddressRange range = f.view.address_range();
        if (range.lowest != range.highest || leaf.dtype().size_bytes() > 8) throw_mixed(f);
        std::uint64_t bits = 0; // one element: an argument
        leaf.read(Dimensions::strided({}, {}, range.lowest), 0, 1, &bits);
        return add_constant(std::move(f), &bits);
    }
    /// Adds a use where elements are a progression.
    bool is_formula(const Leaf& leaf, const Found& f) {
        const auto add = [&](Stored type, std::uint64_t first, std::uint64_t step) {
            Use& use = add_use(Use::formula, type, f.view, f.frame);
            use.first = first;
            use.step = step;
            return true;
        };
        if (&leaf == &table_of_indexes()) {
            index_t first = 0;
            leaf.read(Dimensions(), 0, 1, &first);
            return add(Stored::int64, bits_of(first), 1);
        }
        if (leaf.memory()) return false;
        const AnyReader& reader = leaf.reader();
        if (reader.size() == 0) return false;
        const auto of_type = [&]<typename T>(Stored type, T) {
            const auto* range = dynamic_cast<const RangeReader<T>*>(&reader);
            return range != nullptr && add(type, bits_of(range->read(0)), bits_of(range->step()));
        };
        return of_type(Stored::int64, index_t{}) || of_type(Stored::float64, double{}) ||
               of_type(Stored::float32, float{});
    }

    Use& add_use(Use::Source source, Stored type, const Dimensions& dims, std::uint16_t frame) {
        Use use;
        use.source = source;
        use.type = type;
        use.frame = frame;
        const int layers = dims.layer_count();
        use.outer = add_layer(dims.layer(0));
        use.first_inner = static_cast<std::uint32_t>(out_.layers.size());
        use.inner_layers = static_cast<std::uint16_t>(layers - 1);
        for (int l = 1; l < layers; ++l) out_.layers.push_back(add_layer(dims.layer(l)));
        const auto axes = out_.axes.size() + 3 * out_.maps.size() + 2 * out_.uses.size();
        if (8 * (axes + out_.constants.size() + out_.numbers.size()) > kMaxArgumentBytes - 256)
            cut_heaviest("it has more than 4000 bytes of arguments");
        return out_.uses.emplace_back(std::move(use));
    }
    LayerUse add_layer(const LayerView& view) {
        LayerUse layer;
        layer.base = view.base;
        layer.first_axis = static_cast<std::uint32_t>(out_.axes.size());
        layer.rank = static_cast<std::uint32_t>(view.rank());
        for (std::size_t a = 0; a < layer.rank; ++a) {
            AxisUse axis{view.extents[a], view.strides[a], -1};
            if (!view.is_plain(static_cast<int>(a))) {
                axis.map = static_cast<std::int32_t>(out_.maps.size());
                const AxisMap& map = view.maps[a];
                const bool once = map.period != 0 && map.step == 1 && axis.extent <= map.period;
                out_.maps.push_back({map, once});
            }
            out_.axes.push_back(axis);
        }
        return layer;
    }

    // --- what is too much for one kernel -----------------------------------------------------------------

    /// Views of one node, each of which computes it again.
    static constexpr std::size_t kMaxViews = 4;

    static bool repeats_much(const Elementwise& e, const Dimensions& view) {
        return is_transcendental(e.op()) && view.is_broadcast() && view.size() >= 4096 &&
               view.size() / 8 >= size_of(e);
    }
    void cut(const Node& node, const char* why) {
        if (out_.cut != nullptr || &node == root_->node.get()) return;
        out_.cut = NodePtr(&node);
        out_.why_cut = why;
    }
    /// Keeps the node that took the most steps.
    void heaviest(const Visit& visit) {
        const auto weight = static_cast<std::uint32_t>(out_.values.size()) - visit.first_value;
        if (weight < heaviest_weight_ || visit.at.node == root_->node.get()) return;
        heaviest_ = visit.at.node;
        heaviest_weight_ = weight;
    }
    void cut_heaviest(const char* why) {
        if (heaviest_ != nullptr) return cut(*heaviest_, why);
        for (const Visit& visit : visits_)
            if (visit.at.node != root_->node.get()) return cut(*visit.at.node, why);
        throw DeviceError(fmt::format(
            "{}: one operation is too much for a kernel, as {}: to_host(x) first", what_, why));
    }

    // --- errors --------------------------------------------------------------------------------------

    [[noreturn]] void throw_no_form(std::string_view function) const {
        throw DeviceError(
            fmt::format("{}: {} has no form on a device: to_host(x) first", what_, function));
    }
    [[noreturn]] void throw_mixed(const Found& host) const {
        std::string there;
        for (const Node* node : nodes_below(std::span(root_, 1)))
            for (const Operand& operand : operands_of(*node)) {
                Place place;
                const Leaf* leaf = leaf_of(operand);
                if (there.empty() && leaf != nullptr && places_.find(leaf->reader(), place))
                    there = to_string(operand.dims.max_shape());
            }
        if (there.empty()) there = to_string(root_->dims.max_shape());
        throw DeviceError(fmt::format(
            "{}: mixed places: an operand of shape {} lies in the host's memory, one of "
            "shape {} on the device: to_device(x) or to_host(x) first",
            what_, to_string(host.view.max_shape()), there));
    }

    Lowered& out_;
    const Places& places_;
    const char* what_;
    const Operand* root_ = nullptr;
    std::vector<Found> found_;
    std::vector<Visit> visits_;
    std::vector<Found>* kept_found_;
    std::vector<Visit>* kept_visits_;
    InlineVector<std::uint16_t, 64> known_values_;
    std::vector<std::uint16_t> guards_; ///< of the pieces of nodes being visited
    std::vector<std::pair<std::size_t, std::size_t>>
        first_guards_; ///< number of visits, place in guards_
    std::size_t operations_ = 0;
    const Node* heaviest_ = nullptr;
    std::uint32_t heaviest_weight_ = 0;
};

} // namespace

void Lowered::clear() {
    extents.clear();
    uses.clear();
    axes.clear();
    layers.clear();
    maps.clear();
    values.clear();
    frames.clear();
    constants.clear();
    constant_types.clear();
    numbers.clear();
    wide = checked = false;
    cut = nullptr;
    why_cut = "";
    staged = 0;
}

void lower(Lowered& out, const Operand& root, const Destination& to, const Places& places,
           const LowerOptions& options, const char* what) {
    out.clear();
    const ShapeSpan shape = to.dims.max_shape();
    out.extents.assign(shape.begin(), shape.end());
    out.size = to.dims.size();
    out.wide = options.wide;
    Lowering(out, places, what).run(root, to, options.find_first);
    if (out.cut == nullptr) finish(out, options.find_first);
}

} // namespace purview::gpu::detail
