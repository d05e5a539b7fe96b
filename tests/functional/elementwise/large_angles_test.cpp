// Angles beside multiples of π/2, where what is left of them is small: the values of long double arithmetic.

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/maths.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace large_angles_test {

namespace {

namespace pv = purview;

struct Angle {
    double x;
    double sine;
    double cosine;
    double tangent;
};

/// Found by continued fractions of π/2, computed in 600 bits.
const std::vector<Angle> kAngles{
    {1126833495400.4492, 3.002244728379164e-17, -1, -3.002244728379164e-17},
    {0x1.9eb7148f354d6p+21, -0x1.d0afa32c646cap-54, -0x1.0000000000000p+0, 0x1.d0afa32c646cap-54},
    {0x1.b951f1572eba5p+26, -0x1.f54f5227a4e84p-57, 0x1.0000000000000p+0, -0x1.f54f5227a4e84p-57},
    {0x1.5fd78b5318cddp+30, 0x1.0000000000000p+0, -0x1.9c639b0a075f9p-49, -0x1.3dd5f4ac5b262p+48},
    {0x1.5c9508c58aafap+32, 0x1.0000000000000p+0, 0x1.7091a64747dabp-54, 0x1.639fc53ae5ff2p+53},
    {0x1.5c9508c58aafap+32, 0x1.0000000000000p+0, 0x1.7091a64747dabp-54, 0x1.639fc53ae5ff2p+53},
    {0x1.5c9508c58aafap+33, 0x1.7091a64747dabp-53, -0x1.0000000000000p+0, -0x1.7091a64747dabp-53},
    {0x1.03928f1ebce42p+33, 0x1.0000000000000p+0, -0x1.c56a21e09ca0dp-52, -0x1.2113ddd2337e8p+51},
    {0x1.03928f1ebce42p+34, -0x1.c56a21e09ca0dp-51, -0x1.0000000000000p+0, 0x1.c56a21e09ca0dp-51},
    {0x1.5c9508c58aafap+33, 0x1.7091a64747dabp-53, -0x1.0000000000000p+0, -0x1.7091a64747dabp-53},
    {0x1.5c9508c58aafap+34, -0x1.7091a64747dabp-52, 0x1.0000000000000p+0, -0x1.7091a64747dabp-52},
    {0x1.de5e5054e921bp+34, 0x1.0000000000000p+0, -0x1.5361ee6553188p-54, -0x1.82350e88ea56ep+53},
    {0x1.3013cbf223c9ep+34, -0x1.0000000000000p+0, 0x1.0d214ebcf8b37p-52, -0x1.e7055ccd771ddp+51},
    {0x1.3013cbf223c9ep+35, -0x1.0d214ebcf8b37p-51, -0x1.0000000000000p+0, 0x1.0d214ebcf8b37p-51},
    {0x1.c81db1eb35aedp+35, 0x1.0000000000000p+0, -0x1.93b1f61b750d3p-51, -0x1.44ae3dde4f693p+50},
    {0x1.46546a5bd73ccp+35, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-54, 0x1.498779a74efa2p+53},
    {0x1.3013cbf223c9ep+35, -0x1.0d214ebcf8b37p-51, -0x1.0000000000000p+0, 0x1.0d214ebcf8b37p-51},
    {0x1.3013cbf223c9ep+36, 0x1.0d214ebcf8b37p-50, 0x1.0000000000000p+0, 0x1.0d214ebcf8b37p-50},
    {0x1.c81db1eb35aedp+36, -0x1.93b1f61b750d3p-50, -0x1.0000000000000p+0, 0x1.93b1f61b750d3p-50},
    {0x1.46546a5bd73ccp+35, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-54, 0x1.498779a74efa2p+53},
    {0x1.46546a5bd73ccp+36, 0x1.8dc15e293c9cdp-53, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-53},
    {0x1.e97e9f89c2db2p+36, 0x1.0000000000000p+0, 0x1.2a51069eed75ap-52, 0x1.b75f4cdf13f83p+51},
    {0x1.19d32d8870570p+35, 0x1.0000000000000p+0, -0x1.25fd649f8c7d4p-50, -0x1.bdd6aca5b4addp+49},
    {0x1.19d32d8870570p+36, -0x1.25fd649f8c7d4p-49, -0x1.0000000000000p+0, 0x1.25fd649f8c7d4p-49},
    {0x1.a6bcc44ca8828p+36, -0x1.0000000000000p+0, 0x1.b8fc16ef52bbep-49, -0x1.2939c86e7873ep+48},
    {0x1.6047f8ea8c6ccp+37, 0x1.0000000000000p+0, -0x1.6f7cbdc76f9c9p-48, -0x1.64abbd515d57ep+47},
    {0x1.ed318faec4984p+37, -0x1.0000000000000p+0, 0x1.013db80b9aedap-47, -0x1.fd87a0bd60c6ap+46},
    {0x1.46546a5bd73ccp+35, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-54, 0x1.498779a74efa2p+53},
    {0x1.46546a5bd73ccp+36, 0x1.8dc15e293c9cdp-53, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-53},
    {0x1.e97e9f89c2db2p+36, 0x1.0000000000000p+0, 0x1.2a51069eed75ap-52, 0x1.b75f4cdf13f83p+51},
    {0x1.97e984f2cd0bfp+37, -0x1.0000000000000p+0, -0x1.f131b5b38bc40p-52, 0x1.079f9485d8c82p+51},
    {0x1.46546a5bd73ccp+36, 0x1.8dc15e293c9cdp-53, -0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-53},
    {0x1.46546a5bd73ccp+37, -0x1.8dc15e293c9cdp-52, 0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-52},
    {0x1.e97e9f89c2db2p+37, 0x1.2a51069eed75ap-51, -0x1.0000000000000p+0, -0x1.2a51069eed75ap-51},
    {0x1.97e984f2cd0bfp+38, 0x1.f131b5b38bc40p-51, -0x1.0000000000000p+0, -0x1.f131b5b38bc40p-51},
    {0x1.bb23eaa3db16dp+38, -0x1.0000000000000p+0, 0x1.6b244e2e34da0p-53, -0x1.68f05a4020491p+52},
    {0x1.46546a5bd73ccp+37, -0x1.8dc15e293c9cdp-52, 0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-52},
    {0x1.46546a5bd73ccp+38, -0x1.8dc15e293c9cdp-51, 0x1.0000000000000p+0, -0x1.8dc15e293c9cdp-51},
    {0x1.e97e9f89c2db2p+38, -0x1.2a51069eed75ap-50, 0x1.0000000000000p+0, -0x1.2a51069eed75ap-50},
    {0x1.97e984f2cd0bfp+39, -0x1.f131b5b38bc40p-50, 0x1.0000000000000p+0, -0x1.f131b5b38bc40p-50},
    {0x1.698ed00ce547ap+38, 0x1.0000000000000p+0, -0x1.7c72d62bb8bb6p-52, -0x1.588505c045223p+51},
    {0x1.698ed00ce547ap+39, -0x1.7c72d62bb8bb6p-51, -0x1.0000000000000p+0, 0x1.7c72d62bb8bb6p-51},
    {0x1.065c829d68730p+39, 0x1.0000000000000p+0, 0x1.14e87fd83e16cp-56, 0x1.d9574aacb301cp+55},
    {0x1.065c829d68730p+40, 0x1.14e87fd83e16cp-55, -0x1.0000000000000p+0, -0x1.14e87fd83e16cp-55},
    {0x1.898ac3ec1cac8p+40, -0x1.0000000000000p+0, -0x1.9f5cbfc45d222p-55, 0x1.3b8f871dccabep+54},
    {0x1.065c829d68730p+39, 0x1.0000000000000p+0, 0x1.14e87fd83e16cp-56, 0x1.d9574aacb301cp+55},
    {0x1.065c829d68730p+40, 0x1.14e87fd83e16cp-55, -0x1.0000000000000p+0, -0x1.14e87fd83e16cp-55},
    {0x1.898ac3ec1cac8p+40, -0x1.0000000000000p+0, -0x1.9f5cbfc45d222p-55, 0x1.3b8f871dccabep+54},
    {0x1.47f3a344c28fcp+41, 0x1.0000000000000p+0, 0x1.5a229fce4d9c7p-54, 0x1.7aac3bbd5c017p+53},
    {0x1.cb21e49376c94p+41, -0x1.0000000000000p+0, -0x1.e496dfba6ca7dp-54, 0x1.0e7b06198adc7p+53},
    {0x1.7512069b7430dp+48, 0x1.61c21d74e1f63p-55, -0x1.0000000000000p+0, -0x1.61c21d74e1f63p-55},
    {0x1.e6d5c2769d660p+49, 0x1.0000000000000p+0, 0x1.75c5ca1b6f43bp-50, 0x1.5eac4ffddf02fp+49},
    {0x1.f453fea2297a8p+60, 0x1.0000000000000p+0, 0x1.673e71ee45b31p-52, 0x1.6cdaebc04ecbbp+51},
    {0x1.782b7a20df6d4p+68, 0x1.7a6500ca6d83bp-57, -0x1.0000000000000p+0, -0x1.7a6500ca6d83bp-57},
    {0x1.3204bcb577484p+70, -0x1.0cda60453a75fp-49, -0x1.0000000000000p+0, 0x1.0cda60453a75fp-49},
    {0x1.55181b6b2b5acp+71, -0x1.06f0cc4210bfep-49, -0x1.0000000000000p+0, 0x1.06f0cc4210bfep-49},
    {0x1.66a1cac605640p+72, -0x1.f63b48777aa79p-50, -0x1.0000000000000p+0, 0x1.f63b48777aa79p-50},
    {0x1.782b7a20df6d4p+73, -0x1.7a6500ca6d83bp-52, 0x1.0000000000000p+0, -0x1.7a6500ca6d83bp-52},
    {0x1.a4ffb379a019cp+75, -0x1.ef591eb4348f7p-52, -0x1.0000000000000p+0, 0x1.ef591eb4348f7p-52},
    {0x1.3bbfc69b38135p+77, -0x1.7382d707276bap-50, -0x1.0000000000000p+0, 0x1.7382d707276bap-50},
    {0x1.4fb828e7b3f01p+83, 0x1.943d716da4a4bp-48, -0x1.0000000000000p+0, -0x1.943d716da4a4bp-48},
    {0x1.b7b895b030be0p+89, -0x1.1d25c6da0ccb2p-51, -0x1.0000000000000p+0, 0x1.1d25c6da0ccb2p-51},
    {0x1.66bd5424e5655p+91, 0x1.7a6b2243e72f6p-57, -0x1.0000000000000p+0, -0x1.7a6b2243e72f6p-57},
    {0x1.3d84061c60d38p+93, -0x1.0000000000000p+0, -0x1.c35f5c6b51a3ap-51, 0x1.2262abbc7edb7p+50},
    {0x1.66bd5424e5655p+95, -0x1.7a6b2243e72f6p-53, 0x1.0000000000000p+0, -0x1.7a6b2243e72f6p-53},
    {0x1.c3dc1a597f202p+96, -0x1.85168b7ce26bdp-54, -0x1.0000000000000p+0, 0x1.85168b7ce26bdp-54},
    {0x1.637efca22412cp+99, 0x1.0000000000000p+0, -0x1.3927bb0fa049cp-53, -0x1.a28d8771399fep+52},
    {0x1.637efca22412cp+101, 0x1.3927bb0fa049cp-51, 0x1.0000000000000p+0, 0x1.3927bb0fa049cp-51},
    {0x1.7a62a7cd5f89ap+105, -0x1.0000000000000p+0, 0x1.e2c8436e4be56p-53, -0x1.0f7e33fe13befp+52},
};

bool near(double x, double right) {
    const double ulp =
        std::nextafter(std::abs(right), std::numeric_limits<double>::infinity()) - std::abs(right);
    return std::abs(x - right) <= ulp;
}

} // namespace

TEST_CASE("sin, cos and tan beside multiples of a quarter turn") {
    for (const Angle& angle : kAngles) {
        CAPTURE(angle.x);
        const auto x = pv::tensor({1., angle.x, -angle.x});
        CHECK(near(pv::sin(x)(1), angle.sine));
        CHECK(near(pv::cos(x)(1), angle.cosine));
        CHECK(near(pv::tan(x)(1), angle.tangent));
        CHECK(near(pv::sin(x)(2), -angle.sine));
        CHECK(near(pv::cos(x)(2), angle.cosine));
        CHECK(near(pv::tan(x)(2), -angle.tangent));
        CHECK(near(pv::sin(angle.x), angle.sine));
        CHECK(near(pv::cos(angle.x), angle.cosine));
        CHECK(near(pv::tan(angle.x), angle.tangent));
    }
}

} // namespace large_angles_test
