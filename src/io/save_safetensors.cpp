#include <purview/io/save_safetensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "base/quoted_text.hpp"
#include "io/replacement_file.hpp"
#include "io/safetensors_header.hpp"
#include "io/written_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <string_view>

namespace purview::inline v0_1 {
namespace {

/// Largest elements first: behind them, smaller ones are aligned too.
std::vector<const SafetensorsArray*> in_file_order(const std::vector<SafetensorsArray>& arrays) {
    std::vector<const SafetensorsArray*> ordered;
    for (const SafetensorsArray& each : arrays) ordered.push_back(&each);
    std::ranges::stable_sort(ordered, std::greater<>{}, [](const SafetensorsArray* each) {
        return each->values.dtype().size_bytes();
    });
    return ordered;
}

SafetensorsEntry entry_of(const SafetensorsArray& array, const std::string& where) {
    const auto& [name, values] = array;
    require_host_reads("save_safetensors", values.operand());
    const std::optional<std::string_view> type = safetensors::type_of(values.dtype());
    if (!type)
        throw DtypeError(fmt::format("{}: array {} has elements of {}, which safetensors has not",
                                     where, file::quoted_text(name), values.dtype().name()));
    return {.name = name,
            .type = std::string(*type),
            .shape = to_shape(values.shape()),
            .bytes = values.size_bytes()};
}

} // namespace

void save_safetensors(const std::string& path, const std::vector<SafetensorsArray>& arrays,
                      const SafetensorsOptions& options) {
    const std::string where = fmt::format("save_safetensors: '{}'", path);
    const std::vector<const SafetensorsArray*> ordered = in_file_order(arrays);
    safetensors::Header header{.entries = {}, .metadata = options.metadata};
    std::set<std::string_view> names{"__metadata__"};
    for (const SafetensorsArray* each : ordered) {
        if (!names.insert(each->name).second)
            throw FormatError(
                fmt::format("{}: the name {} is taken", where, file::quoted_text(each->name)));
        header.entries.push_back(entry_of(*each, where));
    }
    const std::string bytes = safetensors::format_header(header, where);

    file::ReplacementFile file("save_safetensors", path);
    file.write(std::as_bytes(std::span(bytes)));
    for (const SafetensorsArray* each : ordered)
        file::write_elements(file, each->values, std::endian::little);
    file.commit();
}

} // namespace purview
