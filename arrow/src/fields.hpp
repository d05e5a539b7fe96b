#pragma once

#include "format/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::ipc {

/// How many entries a column takes in the three lists of a batch.
struct Entries {
    std::size_t nodes = 0;
    std::size_t buffers = 0; ///< without those that views refer to
    std::size_t views = 0;   ///< columns of views, each with a count of such buffers

    Entries& operator+=(const Entries& other) noexcept {
        nodes += other.nodes;
        buffers += other.buffers;
        views += other.views;
        return *this;
    }
};

/// A column, or what lies in one, as the schema of a file says it.
struct Field {
    std::string name;
    std::string
        format{}; ///< as Arrow's C data interface has it: of a dictionary that of its values
    std::vector<Field> children{};            ///< of a dictionary: those of its values
    std::optional<std::int64_t> dictionary{}; ///< its id
    std::string index_format{};
    Entries own{}; ///< without its children

    /// With its children.
    Entries entries() const;
    /// Without the dictionary: the values in it.
    Field values() const;
};

/// The columns of a schema in a message of this version, whose description has so many bytes. Throws `FormatError` naming the column for types that are none, and other bytes first than here.
std::vector<Field> fields_of(const format::Schema& schema, format::Version version,
                             std::size_t bytes);

} // namespace purview::ipc
