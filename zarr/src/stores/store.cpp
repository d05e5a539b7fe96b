#include <purview/zarr/store.hpp>

#include "stores/store_keys.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {

Store::~Store() = default;

std::string Store::name() const { return "a store"; }

std::optional<Store::Bytes> Store::get(const std::string& key, ByteRange range) const {
    std::optional<Bytes> value = get(key);
    if (!value) return value;
    const auto [begin, bytes] = zarr::range_within(range, std::ssize(*value));
    value->erase(value->begin(), value->begin() + begin);
    value->resize(static_cast<std::size_t>(bytes));
    return value;
}

std::optional<index_t> Store::get_into(const std::string& key, index_t offset,
                                       std::span<std::byte> out) const {
    const std::optional<Bytes> value = get(key, {offset, std::ssize(out) + 1});
    if (!value) return std::nullopt;
    std::copy_n(value->begin(), std::min(value->size(), out.size()), out.begin());
    return std::ssize(*value);
}

void Store::will_get(const std::string&, ByteRange) const {}

std::optional<std::string> Store::version(const std::string&) const { return std::string(); }

void Store::put(const std::string& key, std::span<const std::byte>) {
    throw ReadOnlyError(fmt::format("put: '{}' cannot be written: {} is read-only", key, name()));
}

void Store::erase(const std::string& key) {
    throw ReadOnlyError(fmt::format("erase: '{}' cannot be erased: {} is read-only", key, name()));
}

void Store::erase_all(const std::string& key) {
    for (const std::string& part : list(key)) erase_all(zarr::joined_key(key, part));
    erase(key);
}

void Store::move_all(const std::string& key, const std::string& to) {
    for (const std::string& part : list(key))
        move_all(zarr::joined_key(key, part), zarr::joined_key(to, part));
    if (const std::optional<Bytes> value = get(key)) {
        put(to, *value);
        erase(key);
    }
}

} // namespace purview
