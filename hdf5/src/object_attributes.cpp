#include "object_attributes.hpp"

#include "element_type.hpp"

#include "dtype/stored_types.hpp"
#include "io/json_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::hdf5 {
namespace {

/// The most elements of an attribute that are read.
constexpr hssize_t kMaxElements = hssize_t{1} << 20;

constexpr std::array<std::string_view, 9> kOwnNames{
    "CLASS",         "NAME",          "DIMENSION_LIST",      "REFERENCE_LIST", "DIMENSION_LABELS",
    "_Netcdf4Dimid", "_NCProperties", "_Netcdf4Coordinates", "_nc3_strict"};

/// The values of an attribute, and the same as JSON; no values where their type is another one.
struct Elements {
    std::vector<std::string> json;
    std::vector<double> numbers;
    std::vector<Attributes::Number> exact;
    std::vector<std::string> texts;
    bool is_single = false;
};

template <typename T>
void add_numbers(Elements& elements, std::span<const std::byte> raw) {
    for (std::size_t i = 0; i + sizeof(T) <= raw.size(); i += sizeof(T)) {
        T value;
        std::memcpy(static_cast<void*>(&value), raw.data() + i, sizeof(T));
        elements.numbers.push_back(static_cast<double>(value));
        elements.exact.push_back(Attributes::exactly(value));
        if constexpr (std::is_integral_v<T>)
            elements.json.push_back(fmt::format("{}", value));
        else
            elements.json.push_back(json::text_of(elements.numbers.back()));
    }
}

Elements elements_of(hid_t attribute, const std::string& where) {
    Elements elements;
    const Handle space = opened(::H5Aget_space(attribute), where);
    const hssize_t points = ::H5Sget_simple_extent_npoints(space.id());
    elements.is_single = ::H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE;
    if (points < 1 || points > kMaxElements) return elements;
    const Handle stored = opened(::H5Aget_type(attribute), where);
    std::optional<ElementType> found;
    try {
        found = element_type(stored.id(), where);
    } catch (const DtypeError&) {
        return elements;
    }
    const ElementType& type = *found;
    const auto count = static_cast<index_t>(points);
    const auto read = [&](void* to) { return ::H5Aread(attribute, type.memory.id(), to); };
    // Texts of a length may claim more than any attribute has.
    if (count > (index_t{1} << 26) / std::max(type.bytes, type.dtype.size_bytes())) return elements;
    if (type.dtype == kDType<std::string>) {
        elements.texts.resize(static_cast<std::size_t>(count));
        read_converted(type, count, elements.texts.data(), where, read);
        for (const std::string& text : elements.texts) elements.json.push_back(json::text_of(text));
        return elements;
    }
    std::vector<std::byte> raw(static_cast<std::size_t>(count * type.dtype.size_bytes()));
    read_converted(type, count, raw.data(), where, read);
    visit_stored_dtype(type.dtype, "open_hdf5", [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_convertible_v<T, double> || kIsFloat16<T>)
            add_numbers<T>(elements, raw);
    });
    return elements;
}

/// Calls `visit(name, attribute)` for each attribute.
template <typename Visit>
void for_each_attribute(hid_t object, const std::string& where, Visit visit) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
        try {
            static_cast<std::vector<std::string>*>(data)->push_back(name);
        } catch (...) {
            return -1;
        }
        return 0;
    };
    checked(::H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), where);
    for (const std::string& name : names)
        visit(name, opened(::H5Aopen(object, name.c_str(), H5P_DEFAULT), where).id());
}

/// The text of an attribute, or of each of its elements.
std::vector<std::string> texts_of(hid_t object, const char* name, const std::string& where) {
    if (::H5Aexists(object, name) <= 0) return {};
    return elements_of(opened(::H5Aopen(object, name, H5P_DEFAULT), where).id(), where).texts;
}

/// The path of what a reference leads to. libhdf5 looks through the file for it, so it is first looked for where its own
/// attribute says: beside the array, or in the root.
std::string path_of(hid_t dataset, const hobj_ref_t& reference, const std::string& folder,
                    const std::string& where) {
    const auto leads_to = [&](const std::string& path) {
        hobj_ref_t other{};
        return ::H5Lexists(dataset, path.c_str(), H5P_DEFAULT) > 0 &&
               ::H5Rcreate(&other, dataset, path.c_str(), H5R_OBJECT, -1) >= 0 &&
               other == reference;
    };
    // Files of one archive, and arrays of one file, call them alike. Under the library's lock.
    static std::vector<std::string> found_last;
    for (const std::string& path : found_last)
        if (leads_to(path)) return path;
    const Handle object(::H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, &reference));
    if (!object) return {};
    for (const std::string& name : texts_of(object.id(), "NAME", where))
        for (const std::string& place : {folder, std::string("/")})
            if (const std::string path = place + name;
                !name.empty() && name.find('/') == std::string::npos && leads_to(path)) {
                if (found_last.size() == 4) found_last.erase(found_last.begin());
                found_last.push_back(path);
                return path;
            }
    std::array<char, 1024> path{};
    return ::H5Iget_name(object.id(), path.data(), path.size()) > 0 ? path.data() : "";
}

/// The names of the first scale of each axis that has one.
void add_scales(hid_t dataset, const std::string& folder, std::vector<std::string>& names,
                const std::string& where) {
    if (::H5Aexists(dataset, "DIMENSION_LIST") <= 0) return;
    const Handle attribute = opened(::H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), where);
    const Handle stored = opened(::H5Aget_type(attribute.id()), where);
    const Handle space = opened(::H5Aget_space(attribute.id()), where);
    if (::H5Tget_class(stored.id()) != H5T_VLEN ||
        ::H5Sget_simple_extent_npoints(space.id()) != static_cast<hssize_t>(names.size()))
        return;
    const Handle base = opened(::H5Tget_super(stored.id()), where);
    if (::H5Tequal(base.id(), H5T_STD_REF_OBJ) <= 0) return;
    std::vector<hvl_t> lists(names.size());
    checked(::H5Aread(attribute.id(), stored.id(), lists.data()), where);
    for (std::size_t axis = 0; axis < lists.size(); ++axis) {
        if (lists[axis].len == 0) continue;
        const std::string path =
            path_of(dataset, *static_cast<const hobj_ref_t*>(lists[axis].p), folder, where);
        if (!path.empty()) names[axis] = shown_name(path);
    }
    ::H5Dvlen_reclaim(stored.id(), space.id(), H5P_DEFAULT, lists.data());
}

} // namespace

std::string shown_name(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    if (name.starts_with(kHiddenPrefix)) name.erase(0, std::string_view(kHiddenPrefix).size());
    return name;
}

Attributes attributes_of(hid_t object, const std::string& where) {
    Attributes::Values values;
    std::string json;
    for_each_attribute(object, where, [&](const std::string& name, hid_t attribute) {
        if (std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end()) return;
        Elements elements = elements_of(attribute, fmt::format("{}, attribute '{}'", where, name));
        Attributes::Value& value = values[name];
        std::string text;
        for (const std::string& element : elements.json)
            text += (text.empty() ? "" : ", ") + element;
        // NetCDF-4 writes single values as lists of one.
        const bool is_single = elements.is_single || elements.json.size() == 1;
        if (!is_single) text = "[" + text + "]";
        if (is_single && text.empty()) text = "null";
        json += (json.empty() ? "" : ", ") + json::text_of(name) + ": " + text;
        if (is_single && elements.numbers.size() == 1) value.number = elements.numbers.front();
        if (is_single && elements.texts.size() == 1) value.text = elements.texts.front();
        value.numbers = std::move(elements.numbers);
        value.exact = std::move(elements.exact);
    });
    return {std::move(values), "{" + json + "}"};
}

std::vector<std::string> dimension_names(hid_t dataset, const std::string& name, int rank,
                                         const std::string& where) {
    std::vector<std::string> names(static_cast<std::size_t>(rank));
    const std::vector<std::string> labels = texts_of(dataset, "DIMENSION_LABELS", where);
    if (labels.size() == names.size()) names = labels;
    add_scales(dataset, "/" + name.substr(0, name.rfind('/') + 1), names, where);
    const std::vector<std::string> role = texts_of(dataset, "CLASS", where);
    if (rank == 1 && names[0].empty() && !role.empty() && role[0] == "DIMENSION_SCALE")
        names[0] = shown_name(name);
    if (std::all_of(names.begin(), names.end(), [](const auto& n) { return n.empty(); })) return {};
    return names;
}

bool is_bare_dimension(hid_t dataset, const std::string& where) {
    const std::vector<std::string> name = texts_of(dataset, "NAME", where);
    return !name.empty() &&
           name[0].starts_with("This is a netCDF dimension but not a netCDF variable");
}

} // namespace purview::hdf5
