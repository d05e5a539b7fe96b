#pragma once

#include <purview/interop/descriptor.hpp>

namespace purview::inline v0_1 {

/// The elements that `memory` describes. They can be written if the descriptor allows it and no two
/// share a byte. `storage` is the block that they are part of; by default their own bytes. Errors
/// begin with `what`.
Operand described_operand(const char* what, MemoryDescriptor memory, Owner owner,
                          StorageId storage = {});

/// As `describe`, in an error's words beginning with `what`.
MemoryDescriptor describe_as(const char* what, const AnyTensor& t);

} // namespace purview
