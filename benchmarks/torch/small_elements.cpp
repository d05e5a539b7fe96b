/// Memory that torch takes over, complex numbers and floats of 16 bits. One file, as its headers take most of the time that
/// this program takes to be built.

#include "../support/cases.hpp"

#include <ATen/DLConvertor.h>
#include <torch/torch.h>

namespace {

using namespace bench;
using torch::Tensor;

template <typename T>
Tensor random_tensor(std::vector<std::int64_t> shape, std::uint64_t seed) {
    at::set_num_threads(threads());
    const Tensor tensor = torch::empty(shape, torch::CppTypeToScalarType<T>::value);
    fill_random(tensor.data_ptr<T>(), static_cast<std::size_t>(tensor.numel()), seed);
    return tensor;
}

Summary summary_of(const Tensor& tensor) {
    if (tensor.is_complex()) {
        const Tensor parts = torch::view_as_real(tensor);
        if (tensor.dim() == 0) return {parts[0].item<double>(), parts[1].item<double>()};
        return summary_of(parts);
    }
    const Tensor values = tensor.to(torch::kFloat64).contiguous();
    if (tensor.dim() == 0) return {values.item<double>()};
    return bench::summary_of(values.data_ptr<double>(), static_cast<std::size_t>(values.numel()));
}

template <typename Run>
auto made(Run run) {
    const auto without_gradients = [=] {
        const c10::InferenceMode guard;
        return run();
    };
    return Task{without_gradients, [=] { return summary_of(without_gradients()); }};
}
/// A task that writes to an existing tensor.
template <typename Run>
auto into(const Tensor& out, Run run) {
    return Task{[=] {
                    const c10::InferenceMode guard;
                    Tensor result = out;
                    run(result);
                },
                [=] { return summary_of(out); }};
}

template <typename P>
void add_complex(const char* dtype, std::int64_t n) {
    using C = c10::complex<P>;
    const auto add_into = [=](const char* name, auto result, auto compute) {
        add(case_name(name, std::to_string(n), dtype), [=] {
            const Tensor z = random_tensor<C>({n}, 1),
                         w = random_tensor<C>({n}, 2).mul(4).add(0.25),
                         v = random_tensor<C>({n}, 3);
            return into(torch::empty({n}, torch::CppTypeToScalarType<decltype(result)>::value),
                        [=](Tensor& out) { compute(z, w, v, out); });
        });
    };
    add_into("complex_multiply_add", C(),
             [](const Tensor& z, const Tensor& w, const Tensor& v, Tensor& out) {
                 torch::addcmul_out(out, v, z, w);
             });
    add_into("complex_divide", C(),
             [](const Tensor& z, const Tensor& w, const Tensor&, Tensor& out) {
                 torch::div_out(out, z, w);
             });
    add_into("complex_abs", P(), [](const Tensor& z, const Tensor&, const Tensor&, Tensor& out) {
        torch::abs_out(out, z);
    });
    add_into("complex_exp", C(), [](const Tensor& z, const Tensor&, const Tensor&, Tensor& out) {
        torch::exp_out(out, z);
    });
    add(case_name("complex_sum", std::to_string(n), dtype), [=] {
        const Tensor z = random_tensor<C>({n}, 1);
        return made([=] { return z.sum(); });
    });
}

void add_cast(const char* name, torch::ScalarType from, torch::ScalarType to, std::int64_t n,
              const char* dtype) {
    add(case_name(name, std::to_string(n), dtype), [=] {
        const Tensor x = random_tensor<float>({n}, 1).to(from);
        return into(torch::empty({n}, to), [=](Tensor& out) { out.copy_(x); });
    });
}

void add_sixteen_bits(std::int64_t n) {
    const std::string size = std::to_string(n);
    add(case_name("half_add", size, "float16"), [=] {
        const Tensor h = random_tensor<float>({n}, 1).to(torch::kHalf),
                     k = random_tensor<float>({n}, 2).to(torch::kHalf);
        return into(torch::empty({n}, torch::kFloat32), [=](Tensor& out) { out.copy_(h).add_(k); });
    });
    add(case_name("half_update", size, "float16"), [=] {
        const Tensor h = random_tensor<float>({n}, 1).to(torch::kHalf),
                     k = random_tensor<float>({n}, 2).to(torch::kHalf);
        return into(h, [=](Tensor& out) { out.mul_(0.5).add_(k); });
    });
    add(case_name("half_sum", size, "float16"), [=] {
        const Tensor h = random_tensor<float>({n}, 1).to(torch::kHalf);
        return made([=] { return h.sum(torch::kFloat32); });
    });
    add_cast("cast_float16_float32", torch::kHalf, torch::kFloat32, n, "float32");
    add_cast("cast_float32_float16", torch::kFloat32, torch::kHalf, n, "float16");
    add_cast("cast_bfloat16_float32", torch::kBFloat16, torch::kFloat32, n, "float32");
    add_cast("cast_float32_bfloat16", torch::kFloat32, torch::kBFloat16, n, "bfloat16");
}

void add_doors() {
    add("door_wrap/4x6/float64", [] {
        keep_second_thread();
        const Tensor owner = random_tensor<double>({4, 6}, 1);
        return made([=] {
            return torch::from_blob(
                owner.data_ptr(), {4, 6}, [owner](void*) {}, torch::kFloat64);
        });
    });
    add("door_dlpack_unversioned/4x6/float64", [] {
        keep_second_thread();
        const Tensor t = random_tensor<double>({4, 6}, 1);
        return made([=] { return at::fromDLPack(at::toDLPack(t)); });
    });
    add("door_view_as/4x6/float64", [] {
        keep_second_thread();
        const Tensor t = random_tensor<double>({4, 6}, 1);
        return made([=] { return t.view(torch::kUInt8); });
    });
}

const Cases small_elements([] {
    for (const std::int64_t n : {10'000'000, 100'000, 1'000}) {
        add_complex<float>("complex64", n);
        add_complex<double>("complex128", n);
    }
    for (const std::int64_t n : {10'000'000, 100'000}) add_sixteen_bits(n);
    add_doors();
});

} // namespace
