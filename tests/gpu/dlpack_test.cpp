#include "gpu/devices.hpp"

#include <memory/copies.hpp>

#include <utility>
#include <vector>

namespace {
using namespace gpu_tests;

/// A foreign tensor over a buffer of ours that counts how often its deleter is called.
struct Foreign {
    pv::dlpack::ManagedTensorVersioned managed{};
    std::vector<std::int64_t> shape, strides;
    detail::BufferPtr memory;
    int* deleted;
};

pv::dlpack::ManagedTensorVersioned* foreign(const gpu::Device& d, const std::vector<float>& values,
                                            std::vector<std::int64_t> shape,
                                            std::vector<std::int64_t> strides, std::uint64_t offset,
                                            int& deleted) {
    auto* const made = new Foreign{{}, std::move(shape), std::move(strides), {}, &deleted};
    made->memory = new_buffer(d.state(), values.size() * sizeof(float));
    copy_in(*made->memory, 0, values.data(), values.size() * sizeof(float));
    made->managed.version = {1, 0};
    made->managed.manager_ctx = made;
    made->managed.deleter = [](pv::dlpack::ManagedTensorVersioned* self) {
        auto* const own = static_cast<Foreign*>(self->manager_ctx);
        ++*own->deleted;
        delete own;
    };
    const bool is_cuda = d.backend() == "cuda";
    made->managed.dl_tensor = {reinterpret_cast<void*>(made->memory->handle()),
                               {is_cuda ? 2 : 4, d.number()},
                               static_cast<std::int32_t>(made->shape.size()),
                               {2, 32, 1},
                               made->shape.data(),
                               made->strides.empty() ? nullptr : made->strides.data(),
                               offset};
    return &made->managed;
}

TEST_CASE("tensors on a device go through DLPack and back without a copy") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(24.f), {4, 6}));
        const auto x = gpu::to_device(h, d);
        const auto there_and_back = [&](const auto& view, const auto& expected) {
            auto sent = gpu::to_dlpack(pv::AnyTensor(view.operand()));
            CHECK(sent->dl_tensor.device.type == (d.backend() == "cuda" ? 2 : 4));
            CHECK((sent->flags & pv::dlpack::kIsCopied) == 0);
            const auto back = gpu::from_dlpack(sent.release());
            CHECK(gpu::device_of(back) == d);
            CHECK(pv::equals(gpu::to_host(back).template as<float>(), expected));
            return back;
        };
        there_and_back(x, h);
        there_and_back(pv::transpose(x), pv::transpose(h));
        there_and_back(x(2, pv::range(1, {}, 2)), h(2, pv::range(1, {}, 2)));
        there_and_back(pv::flip(x), pv::flip(h));
        // What is computed is copied.
        auto computed = gpu::to_dlpack(pv::AnyTensor((x + 1).operand()));
        CHECK((computed->flags & pv::dlpack::kIsCopied) != 0);
        CHECK(pv::equals(gpu::to_host(gpu::from_dlpack(computed.release())).as<float>(), h + 1));
        // The same memory: what is written here is seen there.
        auto sent = gpu::to_dlpack(pv::AnyTensor(x.operand()));
        auto other = gpu::to_device(h, d);
        pv::copy(other * 0, x);
        CHECK(pv::equals(gpu::to_host(gpu::from_dlpack(sent.release())).as<float>(), h * 0));
    });
    CHECK_THROWS_AS(gpu::to_dlpack(pv::AnyTensor(pv::ones(3).operand())), pv::DeviceError);
}

TEST_CASE("what is written may be read through another tensor over the same memory") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::arange(10.));
        const auto x = gpu::to_device(h, d);
        const auto sent = [&] {
            return gpu::to_dlpack(pv::AnyTensor::writable(x.operand())).release();
        };
        const auto y = gpu::from_dlpack(sent()).as_mutable<double>();
        y(pv::all) = pv::flip(x);
        CHECK(pv::equals(gpu::to_host(x), pv::flip(h)));
        y(pv::range(1, {})) = x(pv::range(0, 9)) * 1;
        CHECK(pv::equals(gpu::to_host(x)(pv::range(1, {})), pv::flip(h)(pv::range(0, 9))));
    });
}

TEST_CASE("memory of others is read where it is, and given back once") {
    on_every_computing_device([](const gpu::Device& d) {
        std::vector<float> values(20);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
        int deleted = 0;
        {
            const auto x = gpu::from_dlpack(foreign(d, values, {3, 2}, {5, -2}, 16, deleted));
            const auto y = gpu::to_host(x * 2).as<float>();
            CHECK(pv::equals(y, pv::tensor({{8.f, 4.f}, {18.f, 14.f}, {28.f, 24.f}})));
            CHECK(deleted == 0);
        }
        gpu::synchronize(d);
        {
            const auto again = gpu::to_host(gpu::to_device(pv::ones(2), d));
        } // owners go at the next use
        CHECK(deleted == 1);

        // Refused, and given back all the same.
        deleted = 0;
        CHECK_THROWS_AS(gpu::from_dlpack(foreign(d, values, {2}, {}, 2, deleted)), pv::ShapeError);
        auto* wrong = foreign(d, values, {2}, {}, 0, deleted);
        wrong->dl_tensor.device.id = 77;
        CHECK_THROWS_AS(gpu::from_dlpack(wrong), pv::DeviceError);
        wrong = foreign(d, values, {2}, {}, 0, deleted);
        wrong->dl_tensor.dtype.lanes = 4;
        CHECK_THROWS_AS(gpu::from_dlpack(wrong), pv::DtypeError);
        wrong = foreign(d, values, {2}, {}, 0, deleted);
        wrong->version.major = 9;
        CHECK_THROWS_AS(gpu::from_dlpack(wrong), pv::FormatError);
        CHECK(deleted == 4);
        // Read-only stays read-only.
        auto* constant = foreign(d, values, {2}, {}, 0, deleted);
        constant->flags = pv::dlpack::kReadOnly;
        CHECK(gpu::from_dlpack(constant).is_read_only());
        gpu::synchronize(d); // before the number ends that its deleter counts in
        CHECK(deleted == 5);
    });
}

} // namespace
