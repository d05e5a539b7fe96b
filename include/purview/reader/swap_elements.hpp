#pragma once

#include <purview/reader/element.hpp>

/// `std::swap(t(0, 0), t(1, 0))` exchanges two elements, as that of two references of
/// `std::vector<bool>` does. Whoever calls `swap` or `std::ranges::swap` finds the function of
/// `Element`; `std::swap` by its name looks nowhere else than here.
namespace std { // NOLINT(cert-dcl58-cpp)

template <typename T>
void swap(purview::Element<T>&& a, purview::Element<T>&& b) {
    swap(std::as_const(a), std::as_const(b));
}

} // namespace std
