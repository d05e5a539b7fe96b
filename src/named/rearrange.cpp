#include <purview/base/errors.hpp>
#include <purview/named/order.hpp>
#include <purview/named/rearrange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace purview::inline v0_1 {
namespace {

constexpr std::string_view kLeftOver = "...";

/// One axis in a pattern: a name, or several in parentheses.
struct PatternAxis {
    std::vector<std::string> names;
    bool in_parentheses = false;
};
using PatternSide = std::vector<PatternAxis>;

[[noreturn]] void throw_malformed(std::string_view pattern, std::string_view why) {
    throw FormatError(fmt::format("rearrange: {} in '{}'", why, pattern));
}

bool is_name(std::string_view text) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && letter(text[0]) &&
           std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

PatternSide parse_side(std::string_view side, std::string_view pattern) {
    PatternSide axes;
    std::optional<PatternAxis> open;
    for (std::size_t at = 0; at < side.size();) {
        const char c = side[at];
        if (c == ' ') {
            ++at;
        } else if (c == '(') {
            if (open) throw_malformed(pattern, "a parenthesis stands within another one");
            open = PatternAxis{{}, true};
            ++at;
        } else if (c == ')') {
            if (!open) throw_malformed(pattern, "a parenthesis is closed that is not open");
            axes.push_back(*std::exchange(open, std::nullopt));
            ++at;
        } else {
            const std::size_t end = std::min(side.find_first_of(" ()", at), side.size());
            const std::string name(side.substr(at, end - at));
            at = end;
            if (name == "1") {
                if (!open) axes.push_back({{}, true});
                continue;
            }
            if (name != kLeftOver && !is_name(name))
                throw_malformed(pattern, fmt::format("'{}' is no name of an axis", name));
            if (open)
                open->names.push_back(name);
            else
                axes.push_back({{name}, false});
        }
    }
    if (open) throw_malformed(pattern, "a parenthesis is not closed");
    return axes;
}

std::vector<std::string> names_of(const PatternSide& side) {
    std::vector<std::string> names;
    for (const PatternAxis& axis : side)
        for (const std::string& name : axis.names) {
            if (std::ranges::count(names, name) > 0)
                throw DimError(
                    fmt::format("rearrange: '{}' stands twice on one side of the pattern", name));
            names.push_back(name);
        }
    return names;
}

void require_all_in(const std::vector<std::string>& names, const std::vector<std::string>& others,
                    const char* side, const char* other_side) {
    for (const std::string& name : names)
        if (std::ranges::count(others, name) == 0)
            throw DimError(fmt::format("rearrange: '{}' stands on the {}, and not on the {}", name,
                                       side, other_side));
}

/// A parsed pattern, with its names as dims; those with given sizes are bound.
class Pattern {
public:
    Pattern(std::string_view text, std::span<const AxisSize> sizes) : text_(text) {
        const std::size_t arrow = text.find("->");
        if (arrow == std::string_view::npos) throw_malformed(text, "there is no '->'");
        left_ = parse_side(text.substr(0, arrow), text);
        right_ = parse_side(text.substr(arrow + 2), text);
        names_ = names_of(left_);
        const std::vector<std::string> right = names_of(right_);
        require_all_in(names_, right, "left", "right");
        require_all_in(right, names_, "right", "left");
        for (const PatternAxis& axis : left_)
            if (axis.in_parentheses && std::ranges::count(axis.names, kLeftOver) > 0)
                throw_malformed(text, "'...' stands in parentheses on the left");
        for (const std::string& name : names_) dims_.emplace_back(name);
        for (const AxisSize& given : sizes) {
            const auto at = std::ranges::find(names_, given.name);
            if (at == names_.end() || given.name == kLeftOver)
                throw DimError(
                    fmt::format("rearrange: a size is given for '{}', which is no name in '{}'",
                                given.name, text));
            dims_[static_cast<std::size_t>(at - names_.begin())].set_size(given.size);
        }
    }

    DimOperand bind(const DimOperand& x) const {
        check_axes(x);
        std::vector<DimIndex> indexes;
        for (const PatternAxis& axis : left_)
            if (axis.in_parentheses)
                indexes.emplace_back(joint_of(axis));
            else if (axis.names[0] == kLeftOver)
                indexes.emplace_back(left_over_);
            else
                indexes.emplace_back(dim(axis.names[0]));
        return index_with_dims(x, indexes, {}, "rearrange");
    }

    DimOperand order(const DimOperand& bound) const {
        std::vector<OrderedAxis> axes;
        for (const PatternAxis& axis : right_)
            if (axis.in_parentheses)
                axes.emplace_back(joint_of(axis));
            else if (axis.names[0] == kLeftOver)
                axes.emplace_back(left_over_);
            else
                axes.emplace_back(dim(axis.names[0]));
        return order_dims(bound, std::span<const OrderedAxis>(axes));
    }

private:
    const Dim& dim(const std::string& name) const {
        return dims_[static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin())];
    }
    Joint joint_of(const PatternAxis& axis) const {
        Joint joint;
        for (const std::string& name : axis.names)
            if (name == kLeftOver)
                joint.add(left_over_);
            else
                joint.add(dim(name));
        return joint;
    }

    void check_axes(const DimOperand& x) const {
        const ShapeSpan shape = x.operand.dims.max_shape().subspan(x.dims.size());
        const bool any = std::ranges::count(names_, kLeftOver) > 0;
        const std::size_t named = left_.size() - (any ? 1 : 0);
        if (any ? named > shape.size() : named != shape.size())
            throw ShapeError(fmt::format(
                "rearrange: the left of '{}' has {}{} axes, and the tensor has shape {}", text_,
                any ? "at least " : "", named, to_string(shape)));
    }

    std::string_view text_;
    PatternSide left_;
    PatternSide right_;
    std::vector<std::string> names_; // on the left, with "..."
    std::vector<Dim> dims_;          // one for each name
    DimList left_over_{"..."};
};

} // namespace

DimOperand rearrange_operand(std::string_view text, const DimOperand& x,
                             std::span<const AxisSize> sizes) {
    const Pattern pattern(text, sizes);
    return pattern.order(pattern.bind(settled(x)));
}

} // namespace purview
