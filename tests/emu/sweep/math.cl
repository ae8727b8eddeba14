/* Functions of AMD's device library (ocml), where it is installed; the host has those of libm. A result is a float's bits that may
 * be one off: double functions are good to a few units of the last place, and are rounded once more here. */
#define D1(f) double __ocml_##f##_f64(double) __attribute__((const));
#define D2(f) double __ocml_##f##_f64(double, double) __attribute__((const));
D1(sin) D1(cos) D1(tan) D1(exp) D1(exp2) D1(log) D1(log10) D1(cbrt) D1(atan) D1(asin) D1(sinh) D1(tanh) D1(erf) D1(tgamma) D1(expm1)
D2(pow) D2(atan2) D2(hypot) D2(fmod) D2(remainder)
#define CLOSE(name, expr) \
	KERNEL(close_##name) \
	{ \
		uint i = GID; \
		double x = small_double(in[i], in[i + 1]), y = small_double(in[i + 2], in[i + 3]) * 0.125 + 0.01; \
		float r = (float)(expr); \
		out[i] = as_(uint, r); \
	}
#define F(f, ...) __ocml_##f##_f64(__VA_ARGS__)
CLOSE(sin, F(sin, x) + F(cos, y))
CLOSE(sin_great, F(sin, x * 1e19 * y))
CLOSE(tan, F(tan, x * 0.001))
CLOSE(exp, F(exp, x * 0.01) * 3)
CLOSE(exp2, F(exp2, x * 0.03))
CLOSE(log, F(log, x * x + 1e-9))
CLOSE(log10, F(log10, y * y + 1e-12))
CLOSE(cbrt, F(cbrt, x))
CLOSE(atan, F(atan, x))
CLOSE(asin, F(asin, F(tanh, x * 0.0003)))
CLOSE(sinh, F(sinh, x * 0.01))
CLOSE(erf, F(erf, x * 0.001))
CLOSE(tgamma, F(tgamma, 1.5 + x * x * 1e-6))
CLOSE(expm1, F(expm1, x * 1e-7))
CLOSE(pow, F(pow, x * x + 0.1, y * 0.01))
CLOSE(atan2, F(atan2, x, y))
CLOSE(hypot, F(hypot, x, y))
CLOSE(fmod, F(fmod, x * 1000, y))
CLOSE(remainder, F(remainder, x * 1000, y))
