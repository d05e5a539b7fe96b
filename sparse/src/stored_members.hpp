#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace purview::inline v0_1::sparse {

/// Where the bytes of a member lie that is neither deflated nor encrypted.
struct StoredMember {
    index_t begin = 0;
    index_t bytes = 0;
};

/// The stored members of a zip file, by name, which libzip does not tell the places of. Pure, O(members);
/// whatever the bytes, members lie within them. What does not look as it should is left out: libzip
/// reads it, or says what is wrong.
std::map<std::string, StoredMember, std::less<>> stored_members(std::span<const std::byte> file);

} // namespace purview::sparse
