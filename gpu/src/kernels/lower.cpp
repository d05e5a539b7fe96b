// Defines kernels/lowered.hpp.
#include "lowered.hpp"
#include "lowering_lists.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

class DeviceLowering {
public:
    DeviceLowering(Lowered& out, const Places& places, const char* what)
        : out_(out), places_(places), what_(what) {
        std::swap(lists_, kept_lowering_lists());
    }
    DeviceLowering(const DeviceLowering&) = delete;
    ~DeviceLowering() {
        found_.clear();
        visits_.clear();
        views_.clear();
        std::swap(lists_, kept_lowering_lists());
    }

    void run(const Operand& root, const ResultPlace& to) {
        root_ = &root;
        detail::add_use(out_, Use::buffer, type_of(*root.node), to.dims, 0).place = to.place;
        out_.frames.emplace_back();
        std::uint16_t result = 0;
        if (!open({root.node.get(), add_view(root.dims), 0}, result)) result = visit_all();
        out_.result = result;
    }

private:
    std::uint16_t visit_all() {
        std::uint16_t result = 0;
        while (out_.cut == nullptr) {
            Visit& top = visits_.back();
            Found next;
            if (next_operand(top, next)) {
                if (open(next, result)) visits_.back().done.push_back(result);
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
    bool open(const Found& f, std::uint16_t& value) {
        if (f.node == nullptr) {
            value = known(f);
            if (value != kNoValue) return true;
            add_use(Use::formula, Stored::int64, f).step = 1;
            value = add_element(f);
            return true;
        }
        const Node& node = *f.node;
        const bool shared = node.is_shared() || node.kind() <= NodeKind::constant;
        if (shared && (value = known(f)) != kNoValue) return true;
        switch (node.kind()) {
        case NodeKind::constant:
            value = add_constant(f, static_cast<const Constant&>(node).value());
            return true;
        case NodeKind::leaf: value = add_leaf(f); return true;
        case NodeKind::elementwise: {
            const auto& operation = static_cast<const Elementwise&>(node);
            if (operation.op() == Op::map) throw_no_form(name_of(operation));
            if (repeats_much(operation, views_[f.view])) cut(node, "a view repeats what is costly");
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
        visit.at = f;
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
                next = {g.source().node.get(), add_view(g.source().dims), gather_frame(visit, g)};
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
            const std::size_t piece = (i - rank) / 2;
            if (piece == p.operands().size()) return false;
            const Operand& operand = p.operands()[piece];
            next = {operand.node.get(), add_view(operand.dims), piece_frame(visit, p, piece)};
            return true;
        }
        }
    }

    std::uint32_t add_view(Dimensions view) {
        views_.push_back(std::move(view));
        return static_cast<std::uint32_t>(views_.size() - 1);
    }
    std::uint32_t composed(std::uint32_t outer, const Dimensions& dims) {
        const Dimensions& view = views_[outer];
        if (view.is_identity() && std::ranges::equal(view.max_shape(), dims.max_shape()))
            return add_view(dims);
        return add_view(dimensions::compose(view, dims));
    }
    /// The coordinates along an axis of what is seen, as a node of its own.
    Found coordinate(const Found& at, ShapeSpan shape, std::size_t axis) {
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
            out_.checked |= (divides_integers(v, in) && !is_constant_but_0(v.operand[1])) ||
                            (v.op == Op::cast && can_misfit(in, v.type));
            if (++operations_ > kMaxOperations) cut_heaviest("it has more than 256 operations");
            heaviest(visit);
            return add(visit.at, v);
        }
        std::uint16_t result = visit.done.back();
        if (node.kind() == NodeKind::piecewise) {
            const std::size_t rank = static_cast<const Piecewise&>(node).shape().size();
            for (std::size_t p = visit.done.size() - 2; p > rank;
                 p -= 2) { // from the last one but one
                Value v;
                v.what = Value::operation;
                v.op = Op::choose;
                v.type = type_of(node);
                v.count = 3;
                v.operand[0] = visit.done[p - 2];
                v.operand[1] = visit.done[p - 1];
                v.operand[2] = result;
                result = add_value(v);
            }
        }
        heaviest(visit);
        return remember(visit.at, result);
    }

    bool is_constant_but_0(std::uint16_t value) const {
        const Value& v = out_.values[value];
        return v.what == Value::constant && out_.constants[v.number] != 0;
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
    /// Leaves the guard of the piece among what is done.
    std::uint16_t piece_frame(Visit& visit, const Piecewise& p, std::size_t piece) {
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
        visit.done.push_back(frame.guard);
        return add_frame(std::move(frame));
    }
    std::uint16_t add_frame(Frame frame) {
        out_.frames.push_back(std::move(frame));
        return static_cast<std::uint16_t>(out_.frames.size() - 1);
    }
    std::uint32_t add_numbers(std::initializer_list<index_t> numbers) {
        out_.numbers.insert(out_.numbers.end(), numbers);
        return static_cast<std::uint32_t>(out_.numbers.size() - numbers.size());
    }

    std::uint16_t add_value(const Value& v) {
        out_.values.push_back(v);
        return static_cast<std::uint16_t>(out_.values.size() - 1);
    }
    std::uint16_t remember(Found f, std::uint16_t value) {
        f.value = value;
        found_.push_back(f);
        return value;
    }
    std::uint16_t add(const Found& f, const Value& v) { return remember(f, add_value(v)); }

    /// The value of the same node seen in the same way, or kNoValue.
    std::uint16_t known(const Found& f) const {
        for (const Found& old : found_)
            if (old.node == f.node &&
                ((f.node != nullptr && f.node->kind() == NodeKind::constant) ||
                 (old.frame == f.frame &&
                  (old.view == f.view || views_[old.view] == views_[f.view]))))
                return old.value;
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
    std::uint16_t add_constant(const Found& f, const void* bytes) {
        Value v;
        v.what = Value::constant;
        v.type = type_of(*f.node);
        v.number = static_cast<std::uint32_t>(out_.constants.size());
        out_.constants.push_back(argument_bits(v.type, bytes));
        out_.constant_types.push_back(is_half(v.type) ? Stored::float32 : v.type);
        return add(f, v);
    }
    std::uint16_t add_element(const Found& f) {
        Value v;
        v.type = out_.uses.back().type;
        v.number = static_cast<std::uint32_t>(out_.uses.size() - 1);
        if (out_.uses.size() > kMaxUses) cut_heaviest("it reads more than 47 operands");
        return add(f, v);
    }
    std::uint16_t add_leaf(const Found& f) {
        const auto& leaf = static_cast<const Leaf&>(*f.node);
        const Stored type = type_of(leaf);
        Place place;
        if (places_.find(leaf.reader(), place)) {
            add_use(Use::buffer, type, f).place = place;
            return add_element(f);
        }
        const Dimensions& view = views_[f.view];
        if (add_formula(out_, leaf, view, f.frame)) return add_element(f);
        const AddressRange range = view.address_range();
        if (range.lowest != range.highest || leaf.dtype().size_bytes() > 8) {
            if (!are_for_an_index(visits_)) throw_mixed_places(what_, *root_, leaf, places_);
            cut(leaf, "indexes of the host are copied there first");
            return kNoValue;
        }
        std::uint64_t bits = 0; // one element: an argument
        leaf.read(Dimensions::strided({}, {}, range.lowest), 0, 1, &bits);
        return add_constant(f, &bits);
    }
    /// A use is an operand more: too many, or too many arguments, are cut.
    Use& add_use(Use::Source source, Stored type, const Found& f) {
        Use& use = detail::add_use(out_, source, type, views_[f.view], f.frame);
        const auto numbers = out_.axes.size() + 3 * out_.maps.size() + 2 * out_.uses.size() +
                             out_.constants.size() + out_.numbers.size();
        if (8 * numbers > kMaxArgumentBytes - 256)
            cut_heaviest("it has more than 4000 bytes of arguments");
        return use;
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
    [[noreturn]] void throw_no_form(std::string_view function) const {
        throw DeviceError(
            fmt::format("{}: {} has no form on a device: to_host(x) first", what_, function));
    }
    Lowered& out_;
    const Places& places_;
    const char* what_;
    const Operand* root_ = nullptr;
    LoweringLists lists_; ///< kept from call to call
    std::vector<Found>& found_ = lists_.found;
    std::vector<Visit>& visits_ = lists_.visits;
    std::vector<Dimensions>& views_ = lists_.views;
    std::size_t operations_ = 0;
    const Node* heaviest_ = nullptr;
    std::uint32_t heaviest_weight_ = 0;
};

} // namespace

void lower(Lowered& out, const Operand& root, const ResultPlace& to, const Places& places,
           const LowerOptions& options, const char* what) {
    out.clear();
    const ShapeSpan shape = to.dims.max_shape();
    out.extents.assign(shape.begin(), shape.end());
    out.size = to.dims.size();
    out.wide = options.wide;
    out.rounds = options.rounds;
    DeviceLowering(out, places, what).run(root, to);
    const auto is_float64 = [](const auto& step) { return step.type == Stored::float64; };
    if (!options.float64 &&
        (std::ranges::any_of(out.values, is_float64) || std::ranges::any_of(out.uses, is_float64)))
        throw DeviceError(fmt::format("{}: the device has no float64: cast to float32", what));
    if (out.cut == nullptr && options.merges) finish(out, options);
}

} // namespace purview::gpu::detail
