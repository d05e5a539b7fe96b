/// Doors that need no other library: pointers, mdspans, DLPack, descriptors, the same bytes, shared memory.

#include "doors.hpp"
#include "../../tests/interop/mdspan_stand_in.hpp"

#include <purview/interop/descriptor.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/interop/foreign_views.hpp>
#include <purview/interop/shared_buffer.hpp>
#include <purview/interop/view_as.hpp>

#include <unistd.h>

namespace {

using namespace bench;

using Mdspan = stand_in::mdspan<double, stand_in::dextents<std::size_t, 2>>;

std::shared_ptr<double[]> numbers() {
    std::shared_ptr<double[]> memory(new double[kDoorSize]);
    fill_random(memory.get(), kDoorSize, 1);
    return memory;
}

const Cases doors([] {
    add_door("wrap", [] {
        const auto memory = numbers();
        return made([=] { return pv::wrap(memory.get(), {4, 6}, memory); });
    });
    add_door("mdspan_in", [] {
        const auto memory = numbers();
        const Mdspan view(memory.get(), Mdspan::mapping_type(Mdspan::extents_type(4, 6)));
        return Task{[=] { return pv::borrow(view); },
                    [=] { return summary_of(memory.get(), kDoorSize); }};
    });
    add_door("mdspan_out", [] {
        const auto t = random_tensor({4, 6}, 1);
        return Task{[=] { return pv::as_mdspan<Mdspan>(t); },
                    [=] {
                        const auto view = pv::as_mdspan<Mdspan>(t);
                        return summary_of(view.data_handle(), kDoorSize);
                    }};
    });
    add_door("dlpack", [] {
        const auto t = random_tensor({4, 6}, 1);
        return made_any([=] { return pv::from_dlpack(pv::to_dlpack(t).release()); });
    });
    add_door("dlpack_unversioned", [] {
        const auto t = random_tensor({4, 6}, 1);
        return made_any([=] { return pv::from_dlpack(pv::to_unversioned_dlpack(t).release()); });
    });
    add_door("describe", [] {
        const auto t = random_tensor({4, 6}, 1);
        return Task{[=] { return pv::describe(t); },
                    [=] {
                        const pv::MemoryDescriptor memory = pv::describe(t);
                        return summary_of(static_cast<const double*>(memory.pointer), kDoorSize);
                    }};
    });
    add_door("wrap_descriptor", [] {
        const auto memory = numbers();
        const pv::MemoryDescriptor described{.pointer = memory.get(),
                                             .dtype = pv::float64,
                                             .shape = {4, 6},
                                             .strides = {48, 8},
                                             .read_only = false};
        return made_any([=] { return pv::wrap(described, memory); });
    });
    add_door("view_as", [] {
        const auto t = random_tensor({4, 6}, 1);
        return made([=] { return pv::view_as<std::uint8_t>(t); });
    });
    // Made and removed each time, by calls of the system.
    add_door("shared_buffer", [] {
        const std::string name = "purview-benchmark-" + std::to_string(::getpid());
        return made([=] { return pv::tensor(pv::shared_buffer<double>(name, kDoorSize), {4, 6}); });
    });
});

} // namespace
