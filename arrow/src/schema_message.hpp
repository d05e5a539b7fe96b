#pragma once

#include "format/tables.hpp"

#include <purview/interop/arrow.hpp>

namespace purview::inline v0_1::ipc {

/// The schema of a table, described in the format of files. Throws `DtypeError` naming the column for formats that `to_arrow` does not make.
flatbuffers::Offset<format::Schema> described(flatbuffers::FlatBufferBuilder& builder,
                                              const arrow::Schema& table);

} // namespace purview::ipc
