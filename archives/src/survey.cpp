// Defines found_array.hpp.
#include "file_list.hpp"
#include "found_array.hpp"
#include "index_json.hpp"
#include "places.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/io/cf_decoded.hpp>

#include "base/descriptor.hpp"
#include "dtype/stored_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace purview::inline v0_1::archives {
namespace {

struct Surveyed {
    FoundArray array;
    Located located;
};

/// An element of a coordinate; nothing for one that has no order.
std::optional<Key> key_at(const AnyTensor& values, index_t place) {
    if (values.dtype() == kDType<std::string>) return values.as<std::string>().read(place);
    return visit_stored_dtype(
        values.dtype(), "open_many", [&]<typename T>(std::type_identity<T>) -> std::optional<Key> {
            const T element = values.as<T>().read(place);
            if constexpr (PointElement<T>) {
                if (is_nat_value(element)) return std::nullopt;
                const auto since =
                    std::chrono::duration<double, std::micro>(element.time_since_epoch());
                return since.count();
            } else if constexpr (std::is_arithmetic_v<T>) {
                const auto number = static_cast<double>(element);
                return number == number ? std::optional<Key>(number) : std::nullopt;
            } else {
                return std::nullopt;
            }
        });
}

/// Nothing for a coordinate that has no elements, or whose first has no order.
std::optional<CoordinateEnds> ends_of(const StoredArray& coordinate) {
    const AnyTensor values = cf_decoded(coordinate);
    if (values.rank() > 1 || values.size() == 0) return std::nullopt;
    std::optional<Key> first = key_at(values, 0);
    if (!first) return std::nullopt;
    CoordinateEnds ends{*std::move(first), std::nullopt};
    if (values.size() > 1) ends.last = key_at(values, values.size() - 1);
    return ends;
}

/// Texts that many files share, of which one is kept.
class SharedAbout {
public:
    std::shared_ptr<const StoredArray> shared(StoredArray about) {
        about.values = AnyTensor();
        std::string key = about_json(about); // which is NaN where that is missing
        const std::lock_guard lock(mutex_);
        auto& place = known_[std::move(key)];
        if (!place) place = std::make_shared<const StoredArray>(std::move(about));
        return place;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<const StoredArray>> known_;
};

/// The number of an axis; -1 for one that the array does not have.
int axis_of(const ArchiveAxes::Axis& axis, const FoundArray& found) {
    if (const int* const number = std::get_if<int>(&axis))
        return static_cast<int>(
            checked_axis(*number, static_cast<int>(found.shape.size()), "open_many"));
    const auto& names = found.about->dimension_names;
    const auto place = std::find(names.begin(), names.end(), std::get<std::string>(axis));
    return place == names.end() ? -1 : static_cast<int>(place - names.begin());
}

Surveyed surveyed(const File& file, const OpenManyOptions& options, SharedAbout& abouts) {
    Surveyed result;
    FoundArray& found = result.array;
    found.file = file;
    found.variable = options.variable;
    result.located.name = name_of(file);
    if (options.missing == MissingFiles::filled && !state_of(file, options.variable)) {
        found.is_there = false;
        result.located.coordinates.resize(options.along.list().size());
        return result;
    }
    const StoredFile opened(file);
    found.variable = opened.array_name(options.variable);
    const auto state = state_of(file, found.variable);
    if (!state) throw FormatError(fmt::format("open_many: {} is not there", name_of(file)));
    found.state = *state;
    StoredArray about = opened.array(found.variable);
    found.dtype = about.values.dtype();
    found.shape = to_shape(about.values.shape());
    found.chunk = about.chunk_shape;
    if (found.chunk.size() != found.shape.size()) { // whole rows of about a MiB
        found.chunk = found.shape;
        index_t left = std::max<index_t>(1, (index_t{1} << 20) / found.dtype.size_bytes());
        for (std::size_t axis = found.chunk.size(); axis-- > 0;) {
            found.chunk[axis] = std::clamp<index_t>(found.shape[axis], 1, left);
            left = std::max<index_t>(1, left / found.chunk[axis]);
        }
        about.chunk_shape = about.shard_shape = found.chunk;
    }
    for (const ArchiveAxes::Axis& axis : options.along.list()) {
        std::optional<CoordinateEnds> ends;
        const auto* const name = std::get_if<std::string>(&axis);
        if (name != nullptr && options.order != ArchiveOrder::name &&
            options.order != ArchiveOrder::given)
            if (const auto coordinate = opened.coordinate(*name, found.variable))
                ends = naming(file, [&] { return ends_of(*coordinate); });
        result.located.coordinates.push_back(std::move(ends));
    }
    found.detached = detached(about.values);
    found.about = abouts.shared(std::move(about));
    return result;
}

/// Throws unless an array differs from the first in its extents along these axes alone.
void require_like(const FoundArray& first, const FoundArray& other, const std::vector<int>& axes) {
    const auto& names = first.about->dimension_names;
    if (other.shape.size() != first.shape.size() || other.about->dimension_names != names)
        throw ShapeError(
            fmt::format("open_many: {} has the axes ({}) of shape {}, and {} has ({}) of shape {}",
                        name_of(first.file), fmt::join(names, ", "), to_string(first.shape),
                        name_of(other.file), fmt::join(other.about->dimension_names, ", "),
                        to_string(other.shape)));
    for (std::size_t axis = 0; axis < first.shape.size(); ++axis)
        if (other.shape[axis] != first.shape[axis] &&
            std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end())
            throw ShapeError(fmt::format(
                "open_many: {} has the shape {}, and {} has {}: they differ along axis {}, along "
                "which they are not put together",
                name_of(first.file), to_string(first.shape), name_of(other.file),
                to_string(other.shape), axis));
}

/// The sums of all extents before each.
std::vector<index_t> begins_of(const std::vector<index_t>& extents) {
    std::vector<index_t> begins{0};
    for (const index_t extent : extents) {
        index_t end = 0;
        if (__builtin_add_overflow(begins.back(), extent, &end))
            throw ShapeError("open_many: more elements than can be counted");
        begins.push_back(end);
    }
    return begins;
}

} // namespace

Archive found_archive(const ArchiveFiles& files, const OpenManyOptions& options) {
    std::vector<File> all;
    for (const File& file : files.list()) {
        if (const auto* const path = std::get_if<std::string>(&file))
            for (const std::string& each : expanded(*path))
                all.emplace_back(file::whole_path("open_many", "open", each));
        else
            all.push_back(file);
    }
    if (all.empty()) throw FormatError("open_many: no files are given");
    const std::vector<ArchiveAxes::Axis>& along = options.along.list();
    if (along.empty()) throw IndexError("open_many: no axis is given to put files together along");

    std::vector<Surveyed> surveys(all.size());
    SharedAbout abouts;
    constexpr double kNanosecondsOfFile = 3e5;
    parallel_ranges(
        static_cast<index_t>(all.size()), 1, kNanosecondsOfFile * static_cast<double>(all.size()),
        [&](index_t begin, index_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                surveys[i] = surveyed(all[i], options, abouts);
        });

    const auto is_there = [](const Surveyed& each) { return each.array.is_there; };
    const auto first_there = std::ranges::find_if(surveys, is_there);
    if (first_there == surveys.end())
        throw FormatError(
            fmt::format("open_many: none of the files is there, as {}", name_of(all[0])));
    const FoundArray first = first_there->array;
    const std::size_t rank = first.shape.size();
    std::vector<int> axes;
    int new_axes = 0;
    for (const ArchiveAxes::Axis& axis : along) {
        axes.push_back(axis_of(axis, first));
        if (axes.back() < 0) ++new_axes;
        if (axes.back() >= 0 && std::count(axes.begin(), axes.end(), axes.back()) > 1)
            throw IndexError(fmt::format("open_many: axis {} is given twice", axes.back()));
    }
    for (const Surveyed& each : surveys)
        if (each.array.is_there) require_like(first, each.array, axes);

    std::vector<Located> located;
    for (const Surveyed& each : surveys) located.push_back(each.located);
    const Places places = places_of(located, axes.size(), options.order);
    index_t cells = 1;
    for (const index_t count : places.counts)
        if (__builtin_mul_overflow(cells, count, &cells) || cells > (index_t{1} << 26))
            throw ShapeError("open_many: the grid of files has more than 2^26 places");

    // How long each row of the grid is, and which file lies where.
    std::vector<std::vector<index_t>> extents(axes.size());
    for (std::size_t k = 0; k < axes.size(); ++k)
        extents[k].assign(static_cast<std::size_t>(places.counts[k]), -1);
    std::vector<std::size_t> file_at(static_cast<std::size_t>(cells), all.size());
    for (std::size_t i = 0; i < surveys.size(); ++i) {
        index_t cell = 0;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const index_t place = places.of_files[i][k];
            cell = cell * places.counts[k] + place;
            if (!surveys[i].array.is_there) continue;
            index_t& extent = extents[k][static_cast<std::size_t>(place)];
            const index_t own =
                axes[k] < 0 ? 1 : surveys[i].array.shape[static_cast<std::size_t>(axes[k])];
            if (extent >= 0 && extent != own)
                throw ShapeError(fmt::format(
                    "open_many: {} has an extent of {} along axis {}, and others in its place have {}",
                    name_of(all[i]), own, axes[k], extent));
            extent = own;
        }
        std::size_t& there = file_at[static_cast<std::size_t>(cell)];
        if (there != all.size())
            throw FormatError(fmt::format("open_many: {} and {} lie in the same place of the grid",
                                          name_of(all[there]), name_of(all[i])));
        there = i;
    }
    std::vector<std::vector<index_t>> begins;
    Archive archive;
    archive.new_axes = new_axes;
    archive.dimension_names = first.about->dimension_names;
    archive.shape = first.shape;
    std::vector<std::size_t> axis_in_whole;
    int added = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        for (index_t& extent : extents[k])
            if (extent < 0)
                extent = axes[k] < 0 ? 1 : first.shape[static_cast<std::size_t>(axes[k])];
        begins.push_back(begins_of(extents[k]));
        if (axes[k] < 0) {
            archive.shape.insert(archive.shape.begin() + added, 0);
            if (!archive.dimension_names.empty() || rank == 0)
                archive.dimension_names.insert(archive.dimension_names.begin() + added,
                                               std::get<std::string>(along[k]));
            axis_in_whole.push_back(static_cast<std::size_t>(added++));
        } else {
            axis_in_whole.push_back(static_cast<std::size_t>(axes[k] + new_axes));
        }
    }
    for (std::size_t k = 0; k < axes.size(); ++k)
        archive.shape[axis_in_whole[k]] = begins[k].back();
    checked_size(archive.shape, "open_many");

    for (index_t cell = 0; cell < cells; ++cell) {
        const std::size_t file = file_at[static_cast<std::size_t>(cell)];
        Shape begin(archive.shape.size(), 0);
        FoundArray found;
        if (file != all.size()) found = std::move(surveys[file].array);
        const bool is_missing = file == all.size() || !found.is_there;
        if (is_missing) {
            found.is_there = false;
            found.shape = first.shape;
        }
        index_t left = cell;
        for (std::size_t k = axes.size(); k-- > 0;) {
            const auto place = static_cast<std::size_t>(left % places.counts[k]);
            left /= places.counts[k];
            begin[axis_in_whole[k]] = begins[k][place];
            if (is_missing && axes[k] >= 0)
                found.shape[static_cast<std::size_t>(axes[k])] = extents[k][place];
        }
        if (is_missing && options.missing == MissingFiles::refused)
            throw FormatError(fmt::format("open_many: no file lies at {} of the grid {}",
                                          to_string(begin), to_string(places.counts)));
        archive.arrays.push_back(std::move(found));
        archive.begins.push_back(std::move(begin));
    }
    return archive;
}

} // namespace purview::archives
