/// Elements that go elsewhere: transposes, permutations, crops, rotations, gathers, and casts.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T>
void add_transpose() {
    add(case_name("transpose", "4096x4096", dtype_name<T>()), [] {
        const auto matrix = random_tensor<T>({4096, 4096}, 1);
        return into(pv::empty<T>({4096, 4096}),
                    [=](const auto& out) { pv::copy(matrix | pv::transpose, out); });
    });
}

void add_permute(const char* name, pv::Shape axes) {
    add(case_name(name, "256x256x256", "float64"), [=] {
        const auto cube = random_tensor({256, 256, 256}, 1);
        return into(pv::empty({256, 256, 256}),
                    [=](const auto& out) { pv::copy(cube | pv::transpose(axes), out); });
    });
}

void add_gather(const char* name, void (*fill_indexes)(std::int64_t*, std::size_t)) {
    const pv::index_t n = 10'000'000;
    const auto make_list = [=] {
        std::vector<pv::index_t> list(static_cast<std::size_t>(n));
        fill_indexes(list.data(), list.size());
        return list;
    };
    add(case_name(name, "10000000", "float64"), [=] {
        const auto chosen = random_tensor({n}, 1)(make_list());
        return into(pv::empty({n}), [=](const auto& out) { pv::copy(chosen, out); });
    });
    // The list is read, checked and kept whenever the view is made.
    add(case_name(std::string(name) + "_new_list", "10000000", "float64"), [=] {
        const auto source = random_tensor({n}, 1);
        const auto list = pv::tensor(make_list());
        return into(pv::empty({n}), [=](const auto& out) { pv::copy(source(list), out); });
    });
    // The list is read where it lies, and checked, whenever elements are.
    add(case_name(std::string(name) + "_take", "10000000", "float64"), [=] {
        const auto source = random_tensor({n}, 1);
        const auto list = pv::tensor(make_list());
        return into(pv::empty({n}),
                    [=](const auto& out) { pv::copy(pv::take(source, list), out); });
    });
}

const Cases movement([] {
    add_transpose<double>();
    add_transpose<float>();
    add_permute("permute_210", {2, 1, 0});
    add_permute("permute_120", {1, 2, 0});
    add("crop_channels/2048x2048x4/uint8", [] {
        const auto image = random_tensor<std::uint8_t>({2048, 2048, 4}, 1);
        const auto middle = pv::range(256, 256 + 1536);
        const auto view = image(middle, middle, pv::indexes({2, 1, 0}));
        return into(pv::empty<std::uint8_t>({1536, 1536, 3}),
                    [=](const auto& out) { pv::copy(view, out); });
    });
    add("rotate/4096x4096/float64", [] {
        const auto matrix = random_tensor({4096, 4096}, 1);
        return into(pv::empty({4096, 4096}), [=](const auto& out) {
            pv::copy(matrix | pv::rotate({1000, 37}), out);
        });
    });
    add_gather("gather_random", fill_random_indexes);
    add_gather("gather_sorted", fill_sorted_indexes);

    const pv::index_t n = 10'000'000;
    add("cast_float64_uint8/10000000/uint8", [=] {
        const auto x = random_tensor({n}, 1, 255.0);
        return into(pv::empty<std::uint8_t>({n}),
                    [=](const auto& out) { pv::copy(x | pv::unchecked_cast<std::uint8_t>, out); });
    });
    add("cast_float64_uint8_checked/10000000/uint8", [=] {
        const auto x = random_tensor({n}, 1, 255.0);
        return into(pv::empty<std::uint8_t>({n}),
                    [=](const auto& out) { pv::copy(x | pv::cast<std::uint8_t>, out); });
    });
    add("cast_int32_float64/10000000/float64", [=] {
        const auto x = random_tensor<std::int32_t>({n}, 1);
        return into(pv::empty({n}), [=](const auto& out) { pv::copy(x | pv::cast<double>, out); });
    });
});

} // namespace
