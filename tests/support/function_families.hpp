#pragma once

#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor.hpp>

#include <cstdint>
#include <functional>
#include <string>

/// Tables of the functions of the catalogue, one or more of each family, on what lies where the host does not read: each gives what it
/// gives on the host, or an error that names a way out. For devices, and for what stands for one in the tests of the core.
namespace families {

namespace pv = purview;

/// Where tensors are carried to.
struct Place {
    std::string name;  ///< which `explain` says
    std::string label; ///< which is printed
    std::function<pv::Operand(const pv::Operand&)> carried;
    std::function<std::uint64_t()> bytes_out; ///< how many bytes have travelled from there so far

    /// A copy there.
    template <typename X>
    auto operator()(const X& x) const {
        return pv::MutableTensor<typename X::value_type>(carried(x.operand()));
    }
};

// Each returns how many functions were tried.
int sorts_and_searches(const Place& place);
int scans_and_windows(const Place& place);
int reductions_and_statistics(const Place& place);
int products_and_computations(const Place& place);
int access_to_elements(const Place& place);
int views(const Place& place);
int assignments(const Place& place);

/// Memory there has no address.
void pointers(const Place& place);
/// What is printed is copied, and no more; the place is said.
void printing(const Place& place);
/// Shapes, strides, what is shared, `explain`: without elements.
void what_is_said(const Place& place);
/// Types that devices do not have: carried there by no one.
void types_refused(const Place& place);

} // namespace families
