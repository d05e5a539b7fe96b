#include "named_support.hpp"

#include <support/rounds.hpp>

#include <random>
#include <string>
#include <vector>

namespace einsum_test {

namespace {

/// A random formula over the letters a to e, and operands for it.
struct Case {
    std::vector<std::string> inputs;
    std::string output;
    std::vector<pv::Tensor<double>> operands;

    std::string formula() const {
        std::string text;
        for (std::size_t n = 0; n < inputs.size(); ++n) text += (n > 0 ? "," : "") + inputs[n];
        return text + "->" + output;
    }
};

class Loops {
public:
    Loops(const Case& given, const std::vector<pv::index_t>& sizes) : case_(given), sizes_(sizes) {
        for (const std::string& input : case_.inputs)
            for (const char letter : input)
                if (summed_.find(letter) == std::string::npos &&
                    case_.output.find(letter) == std::string::npos)
                    summed_ += letter;
        for (const auto& operand : case_.operands) values_.push_back(pv::to_vector(operand));
    }

    /// The elements of the result, row-major.
    std::vector<double> result() {
        loop(case_.output, 0, [&] {
            double sum = 0;
            loop(summed_, 0, [&] { sum += product(); });
            result_.push_back(sum);
        });
        return result_;
    }

private:
    template <typename Body>
    void loop(const std::string& letters, std::size_t depth, const Body& body) {
        if (depth == letters.size()) return body();
        pv::index_t& index = at_[static_cast<std::size_t>(letters[depth] - 'a')];
        const pv::index_t size = sizes_[static_cast<std::size_t>(letters[depth] - 'a')];
        for (index = 0; index < size; ++index) loop(letters, depth + 1, body);
    }
    double product() const {
        double result = 1;
        for (std::size_t n = 0; n < values_.size(); ++n) {
            pv::index_t position = 0;
            for (const char letter : case_.inputs[n]) {
                const auto l = static_cast<std::size_t>(letter - 'a');
                position = position * sizes_[l] + at_[l];
            }
            result *= values_[n][static_cast<std::size_t>(position)];
        }
        return result;
    }

    const Case& case_;
    const std::vector<pv::index_t>& sizes_;
    std::string summed_;
    std::vector<std::vector<double>> values_;
    pv::index_t at_[5] = {};
    std::vector<double> result_;
};

Case random_case(std::mt19937& random, const std::vector<pv::index_t>& sizes) {
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    Case result;
    std::string letters;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
        std::string input;
        pv::Shape shape;
        for (std::size_t rank = below(4); rank > 0; --rank) {
            const std::size_t letter = below(5);
            input += static_cast<char>('a' + letter);
            shape.push_back(sizes[letter]);
        }
        for (const char letter : input)
            if (letters.find(letter) == std::string::npos) letters += letter;
        result.inputs.push_back(input);
        pv::Tensor<double> operand = (counted(shape) * 3.0 + static_cast<double>(n)) % 5.0 - 2.0;
        switch (below(3)) {
        case 0: break;
        case 1: operand = operand | pv::rotate(pv::Shape(shape.size(), 1)); break;
        default: operand = pv::clone(operand);
        }
        result.operands.push_back(operand);
    }
    std::shuffle(letters.begin(), letters.end(), random);
    result.output = letters.substr(0, below(letters.size() + 1));
    return result;
}

pv::Tensor<double> einsum_of(const std::string& formula, const std::vector<pv::Tensor<double>>& x) {
    switch (x.size()) {
    case 1: return pv::einsum(formula, x[0]);
    case 2: return pv::einsum(formula, x[0], x[1]);
    default: return pv::einsum(formula, x[0], x[1], x[2]);
    }
}

} // namespace

TEST_CASE("every einsum equals its loops") {
    for (unsigned seed = 0; seed < oracle::rounds(600U); ++seed) {
        std::mt19937 random(seed);
        std::vector<pv::index_t> sizes;
        for (int n = 0; n < 5; ++n)
            sizes.push_back(
                std::uniform_int_distribution<pv::index_t>(seed % 7 == 0 ? 0 : 1, 4)(random));
        const Case c = random_case(random, sizes);
        INFO("seed " << seed << ": " << c.formula());
        const pv::Tensor<double> result = einsum_of(c.formula(), c.operands);
        pv::Shape shape;
        for (const char letter : c.output)
            shape.push_back(sizes[static_cast<std::size_t>(letter - 'a')]);
        CHECK(result.shape() == shape);
        CHECK(pv::to_vector(result) == Loops(c, sizes).result());
    }
}

TEST_CASE("einsum is known by its spellings") {
    const auto a = counted({20, 30});
    const auto b = counted({30, 25});
    CHECK(equal<double>(pv::einsum("ik,kj->ij", a, b), pv::matmul(a, b)));
    CHECK(equal<double>(pv::einsum(" i k , k j ", a, b), pv::matmul(a, b)));
    CHECK(equal<double>(pv::einsum("ba", a), a | pv::transpose));
    CHECK(pv::shares_storage(pv::einsum("ij->ji", a), a));
    CHECK(double(pv::einsum("ii", counted({3, 3})).item()) == 12);
    CHECK(equal<double>(pv::einsum("ii->i", counted({3, 3})), pv::tensor({0., 4., 8.})));
    CHECK(pv::einsum(",->", pv::tensor({2.})(0) * pv::ones({}), pv::ones({}) * 3.0).item() == 6);

    const auto q = counted({2, 5, 3, 4}) % 7.0;
    const auto k = counted({2, 6, 3, 4}) % 5.0;
    const pv::Tensor<double> scores = pv::einsum("bqhf,bkhf->bhqk", q, k);
    CHECK(scores.is_contiguous());
    for (pv::index_t n = 0; n < 2; ++n)
        for (pv::index_t h = 0; h < 3; ++h)
            CHECK(equal<double>(scores(n, h, pv::ellipsis),
                                pv::matmul(q(n, pv::all, h), k(n, pv::all, h) | pv::transpose)));
}

TEST_CASE("an ellipsis stands for the axes left over, which broadcast") {
    const auto x = counted({2, 1, 3, 4});
    const auto y = counted({5, 4, 6}) % 3.0;
    CHECK(equal<double>(pv::einsum("...ij,...jk->...ik", x, y), pv::matmul(x, y)));
    CHECK(equal<double>(pv::einsum("...ij,...jk", x, y), pv::matmul(x, y)));
    CHECK(equal<double>(
        pv::einsum("ij...,jk->ik...", x | pv::transpose({2, 3, 0, 1}), y(0, pv::ellipsis)),
        pv::matmul(x, y(0, pv::ellipsis)) | pv::transpose({2, 3, 0, 1})));
    CHECK(equal<double>(pv::einsum("...i->i...", x), x | pv::move_axis(-1, 0)));
}

TEST_CASE("einsum works over the dims that its operands have") {
    const auto x = counted({3, 2, 4});
    const auto y = counted({3, 4, 5});
    const auto [b, i] = pv::dims("b", "i");
    const auto batched = pv::einsum("ik,kj->ij", x(b), y(b));
    CHECK(to_string(pv::dims(batched)) == "(b,)");
    CHECK(equal<double>(batched | pv::order(b), pv::matmul(x, y)));
    CHECK(equal<double>(pv::einsum("ik,kj->ij", x(b), y(1, pv::ellipsis)) | pv::order(b),
                        pv::matmul(x, y(1, pv::ellipsis))));
    CHECK(equal<double>(pv::einsum("ik,kj->ji", x(i), y(b)) | pv::order(i, b) | pv::select(2, 1),
                        pv::matmul(x(2, pv::ellipsis), y(1, pv::ellipsis)) | pv::transpose));
}

TEST_CASE("einsum computes in the types of sums") {
    const auto x = counted<std::int8_t>({4, 30});
    const auto products = pv::einsum("ij,kj->ik", x, x);
    static_assert(std::same_as<decltype(products), const pv::Tensor<std::int64_t>>);
    const auto wide = pv::cast<std::int64_t>(x);
    CHECK(equal<std::int64_t>(products, pv::matmul(wide, wide | pv::transpose)));
    static_assert(
        std::same_as<decltype(pv::einsum("i,i->", x, pv::ones<float>({3}), x)), pv::Tensor<float>>);
    const auto bits = counted({6}) > 2.0;
    CHECK(pv::einsum("i,i->", bits, bits).item() == 3);
    const pv::AnyTensor any = pv::einsum("ij,kj->ik", pv::AnyTensor(x), pv::AnyTensor(x));
    CHECK(equal<std::int64_t>(any.as<std::int64_t>(), products));
}

TEST_CASE("einsum says what is wrong with a formula") {
    const auto x = counted({2, 3});
    const auto y = counted({4, 5});
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("i1->i", x); }) ==
          "einsum: '1' is not expected at position 1 of 'i1->i'");
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("ij->i->j", x); }) ==
          "einsum: '-' is not expected at position 5 of 'ij->i->j'");
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("ij->i,j", x); }) ==
          "einsum: ',' is not expected at position 5 of 'ij->i,j'");
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("i..j", x); }) ==
          "einsum: '.' is not expected at position 1 of 'i..j'");
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("...i...", x); }) ==
          "einsum: '.' is not expected at position 4 of '...i...'");
    CHECK(message_of<pv::FormatError>([&] { pv::einsum("ij-", x); }) ==
          "einsum: '-' is not expected at position 2 of 'ij-'");
    CHECK(message_of<pv::ShapeError>([&] { pv::einsum("ij,jk->ik", x); }) ==
          "einsum: 'ij,jk->ik' is of 2 operands, and 1 are given");
    CHECK(message_of<pv::ShapeError>([&] { pv::einsum("ijk->i", x); }) ==
          "einsum: operand 0 has shape [2 3], and the formula names 3 of its axes: 'ijk'");
    CHECK(message_of<pv::ShapeError>([&] { pv::einsum("i->i", x); }) ==
          "einsum: operand 0 has shape [2 3], and the formula names 1 of its axes: 'i'");
    CHECK(message_of<pv::DimError>([&] { pv::einsum("ij,jk->ik", x, y); }) ==
          "einsum: 'j' has size 3 in operand 0 and size 4 in operand 1");
    CHECK(message_of<pv::DimError>([&] { pv::einsum("ii->i", x); }) ==
          "einsum: 'i' has size 2 in operand 0 and size 3 in operand 0");
    CHECK(message_of<pv::DimError>([&] { pv::einsum("ij->ik", x); }) ==
          "einsum: the result has 'k', and no operand has it");
    CHECK(message_of<pv::DimError>([&] { pv::einsum("ij->ii", x); }) ==
          "einsum: the result has 'i' twice");
    CHECK(message_of<pv::DimError>([&] { pv::einsum("i...->i", x); }) ==
          "einsum: an operand has '...', and the result has not");
    CHECK(message_of<pv::ShapeError>([&] {
              pv::einsum("...,...->...", x, y);
          }).find("do not broadcast") != std::string::npos);
}

} // namespace einsum_test
