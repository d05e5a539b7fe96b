#include "places.hpp"

#include "file_list.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace purview::inline v0_1::archives {
namespace {

struct KeyOrder {
    bool descends = false;

    bool operator()(const Key& a, const Key& b) const {
        return descends ? is_less(b, a) : is_less(a, b);
    }
    static bool is_less(const Key& a, const Key& b) {
        if (a.index() != b.index()) return a.index() < b.index();
        if (a.index() == 0) return std::get<double>(a) < std::get<double>(b);
        return is_before(std::get<std::string>(a), std::get<std::string>(b));
    }
};

/// What files are in order of, along one axis.
struct OrderedKeys {
    std::vector<Key> keys; ///< of each file
    KeyOrder order;
};

/// For each axis: the number in the names of files that is theirs, of those that are not the same in all names.
std::vector<std::vector<Key>> keys_of_names(const std::vector<Located>& files, std::size_t axes) {
    std::vector<std::vector<std::string>> numbers;
    std::vector<std::string> names;
    for (const Located& each : files) {
        names.push_back(each.name);
        numbers.emplace_back();
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        for (const std::string_view number : numbers_in(names[i])) numbers[i].emplace_back(number);
    std::vector<std::size_t> differ;
    for (std::size_t k = 0; k < numbers[0].size(); ++k) {
        bool is_same = true;
        for (const auto& each : numbers) {
            if (each.size() != numbers[0].size())
                throw FormatError(
                    fmt::format("open_many: the names {} and {} have not equally "
                                "many numbers, by which files could be put in a grid",
                                names[0], names[static_cast<std::size_t>(&each - numbers.data())]));
            is_same = is_same && each[k] == numbers[0][k];
        }
        if (!is_same) differ.push_back(k);
    }
    if (differ.size() != axes)
        throw FormatError(fmt::format("open_many: the names of files have {} numbers that differ, "
                                      "and are to be put along {} axes without coordinates, as {}",
                                      differ.size(), axes, names[0]));
    std::vector<std::vector<Key>> keys(axes);
    for (std::size_t axis = 0; axis < axes; ++axis)
        for (const auto& each : numbers) keys[axis].emplace_back(each[differ[axis]]);
    return keys;
}

/// Their coordinates. Nothing: their names.
std::optional<OrderedKeys> coordinate_keys(const std::vector<Located>& files, std::size_t axis,
                                           ArchiveOrder order) {
    OrderedKeys result;
    bool one_descends = false;
    bool all_descend = true;
    for (const Located& each : files) {
        if (each.coordinates[axis]) {
            const CoordinateEnds& ends = *each.coordinates[axis];
            result.keys.push_back(ends.first);
            if (!ends.last) continue;
            const bool descends = KeyOrder::is_less(*ends.last, ends.first);
            one_descends = one_descends || descends;
            all_descend = all_descend && descends;
            continue;
        }
        if (order == ArchiveOrder::coordinate)
            throw FormatError(
                fmt::format("open_many: {} has no coordinate along its axis {}", each.name, axis));
        return std::nullopt;
    }
    result.order.descends = one_descends && all_descend;
    return result;
}

/// The files one behind the other.
std::vector<std::size_t> order_of(const std::vector<Located>& files, ArchiveOrder order) {
    std::vector<std::size_t> result(files.size());
    std::iota(result.begin(), result.end(), std::size_t{0});
    if (order == ArchiveOrder::given) return result;
    std::vector<std::string> names;
    for (const Located& each : files) names.push_back(each.name);
    std::ranges::stable_sort(
        result, [&](std::size_t a, std::size_t b) { return is_before(names[a], names[b]); });
    if (order == ArchiveOrder::name) return result;
    const auto keys = coordinate_keys(files, 0, order);
    if (keys)
        std::ranges::stable_sort(result, [&](std::size_t a, std::size_t b) {
            return keys->order(keys->keys[a], keys->keys[b]);
        });
    return result;
}

} // namespace

Places places_of(const std::vector<Located>& files, std::size_t axes, ArchiveOrder order) {
    Places places;
    places.of_files.resize(files.size(), std::vector<index_t>(axes));
    places.counts.assign(axes, 0);
    if (axes == 1) {
        const auto order_of_files = order_of(files, order);
        for (std::size_t i = 0; i < files.size(); ++i)
            places.of_files[order_of_files[i]][0] = static_cast<index_t>(i);
        places.counts[0] = static_cast<index_t>(files.size());
        return places;
    }
    if (order == ArchiveOrder::given)
        throw FormatError("open_many: files in a grid are put in order of coordinates or of "
                          "numbers in their names, not as they are given");
    std::vector<std::optional<OrderedKeys>> keys(axes);
    std::vector<std::size_t> by_names;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        keys[axis] = coordinate_keys(files, axis, order);
        if (!keys[axis]) by_names.push_back(axis);
    }
    if (!by_names.empty()) {
        auto numbers = keys_of_names(files, by_names.size());
        for (std::size_t i = 0; i < by_names.size(); ++i)
            keys[by_names[i]] = OrderedKeys{std::move(numbers[i]), {}};
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
        std::map<Key, index_t, KeyOrder> numbers(keys[axis]->order);
        for (const Key& key : keys[axis]->keys) numbers.emplace(key, 0);
        for (auto& [key, number] : numbers) number = places.counts[axis]++;
        for (std::size_t i = 0; i < files.size(); ++i)
            places.of_files[i][axis] = numbers.find(keys[axis]->keys[i])->second;
    }
    return places;
}

} // namespace purview::archives
