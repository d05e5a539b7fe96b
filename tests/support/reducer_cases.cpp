#include "support/reducer_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace oracle {

namespace pv = purview;

Coordinates shape_to_reduce(Random& random) {
    switch (random.between(0, 8)) {
    case 0: return {random.between(200, 480)};
    case 1: return {random.between(2, 4), random.between(60, 120)};
    case 2: return {random.between(60, 120), random.between(2, 4)};
    case 3: return {random.between(1, 3), 0}; // groups of nothing, and none
    default: return small_shape(random);
    }
}
Coordinates small_shape(Random& random) {
    Coordinates shape;
    for (index_t a = random.between(1, 3); a > 0; --a)
        shape.push_back(random.between(1, a > 2 ? 4 : 7));
    return shape;
}

Elements random_elements(Random& random, Coordinates shape, pv::DType dtype) {
    Elements x{std::move(shape), {}, dtype};
    const bool positive = random.one_in(2) || dtype == pv::uint8 || dtype == pv::boolean;
    const bool has_nan = dtype.is_floating() && random.one_in(2);
    const index_t rare = random.one_in(3) ? 2 : 5; // how many are NaN
    const bool has_zeros = random.one_in(2);
    for (index_t i = count_of(x.shape); i > 0; --i) {
        double value = static_cast<double>(random.between(1, 9));
        if (dtype.is_floating()) value /= 4;
        if (dtype == pv::boolean) value = 1;
        if (!positive && random.one_in(2)) value = -value;
        if (has_zeros && random.one_in(3)) value = 0;
        if (has_nan && random.one_in(rare)) value = std::numeric_limits<double>::quiet_NaN();
        x.values.push_back(value);
    }
    return x;
}

std::vector<std::vector<double>> groups_over(const Elements& x, const Coordinates& axes) {
    const auto is_reduced = [&](std::size_t axis) {
        return std::ranges::find(axes, static_cast<index_t>(axis)) != axes.end();
    };
    Coordinates kept;
    for (std::size_t a = 0; a < x.shape.size(); ++a)
        if (!is_reduced(a)) kept.push_back(x.shape[a]);
    std::vector<std::vector<double>> groups(static_cast<std::size_t>(count_of(kept)));
    for_each(x.shape, [&](const Coordinates& at) {
        Coordinates place;
        for (std::size_t a = 0; a < at.size(); ++a)
            if (!is_reduced(a)) place.push_back(at[a]);
        groups[position_of(kept, place)].push_back(x.values[position_of(x.shape, at)]);
    });
    return groups;
}

std::vector<std::vector<double>> trailing_windows(const Elements& x, index_t width) {
    std::vector<std::vector<double>> windows;
    for_each(x.shape, [&](Coordinates at) {
        const index_t end = at.back();
        std::vector<double>& window = windows.emplace_back();
        for (index_t i = width == 0 ? 0 : end - width + 1; i <= end; ++i) {
            at.back() = std::max<index_t>(i, 0);
            window.push_back(x.values[position_of(x.shape, at)]);
        }
    });
    return windows;
}

Outcome refusal(const char* error) { return {{}, error}; }

ReducedGroups by_policy(const Elements& x, const std::vector<std::vector<double>>& groups,
                        pv::NanRule nan) {
    ReducedGroups found{{},
                        nan == pv::NanRule::refuse &&
                            std::ranges::any_of(x.values, [](double v) { return v != v; })};
    for (const auto& each : groups)
        found.groups.push_back(group_of(each, x.dtype, nan == pv::NanRule::skip));
    return found;
}

Outcome expected_outcome(const ReducerRow& row, const ReducedGroups& groups) {
    if (groups.refused) return refusal("ArithmeticError");
    Outcome outcome;
    for (const Group& each : groups.groups) {
        const auto result = row.expected(each);
        if (!result) return refusal("ShapeError");
        outcome.results.push_back(*result);
    }
    return outcome;
}

std::string difference(const Outcome& found, const Outcome& expected, pv::DType dtype) {
    std::ostringstream text;
    const double rounding = dtype == pv::float32 ? 1e-5 : 1e-11;
    const std::size_t count = found.results.size();
    if (found.error != expected.error)
        text << "'" << found.error << "' is thrown instead of '" << expected.error << "'";
    else if (count != expected.results.size())
        text << count << " results instead of " << expected.results.size();
    else
        for (std::size_t i = 0; i < count; ++i) {
            const double a = found.results[i];
            const double b = expected.results[i];
            if (a == b || (a != a && b != b)) continue;
            if (!(std::abs(a - b) <= rounding * std::max(1., std::abs(b))))
                text << "result " << i << " is " << a << " instead of " << b << "; ";
        }
    return text.str();
}

std::vector<double> numbers_of(const pv::AnyTensor& results) {
    return pv::to_vector(pv::cast<double>(results));
}

} // namespace oracle
