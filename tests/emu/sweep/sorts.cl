#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
/* Sorting in private arrays (scratch), with a stack of its own and with recursion, in local memory; tiles turned in local memory
 * with a column more than they have. */
NOINLINE void quick(uint *a, int low, int high)
{
	while (low < high) {
		uint pivot = a[(low + high) / 2];
		int i = low, j = high;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j) {
				uint t = a[i];
				a[i++] = a[j];
				a[j--] = t;
			}
		}
		if (j - low < high - i) {
			quick(a, low, j);
			low = i;
		} else {
			quick(a, i, high);
			high = j;
		}
	}
}
NOINLINE void reverse(uint *a, int low, int high)
{
	for (; low < high; low++, high--) {
		uint t = a[low];
		a[low] = a[high];
		a[high] = t;
	}
}
typedef void (*order_fn)(uint *, int, int);
/* By a pointer: clang asks for a stack whose size is not known for such calls alone, not for recursion. */
KERNEL(sort_recursive)
{
	uint a[41], s = 0; /* clang makes addresses before a[0], which must be private ones */
	for (uint k = 1; k < 41; k++)
		a[k] = in[(GID * 5 + k * 37) & 4095] >> 8;
	order_fn order = in[GID] & 7 ? quick : reverse;
	order(a, 1, 40);
	for (uint k = 1; k < 41; k++)
		s = s * 31 + a[k];
	out[GID] = s;
}
KERNEL(sort_heap)
{
	ushort a[64];
	uint s = 0;
	for (uint k = 0; k < 64; k++)
		a[k] = (ushort)(in[(GID + k * 29) & 4095] >> 3);
	for (int root = 31, n = 63; n > 0;) {
		int at = root >= 0 ? root : 0, child;
		ushort t = a[root >= 0 ? root : n];
		if (root >= 0)
			root--;
		else
			a[n--] = a[0];
		for (; (child = 2 * at + 1) <= n; at = child) {
			child += child < n && a[child + 1] > a[child];
			if (a[child] <= t)
				break;
			a[at] = a[child];
		}
		a[at] = t;
	}
	for (uint k = 0; k < 64; k++)
		s = s * 33 + a[k];
	out[GID] = s;
}
/* Odd-even in local memory, bytes. */
KERNEL(sort_bytes)
{
	local uchar key[64];
	uint t = LID;
	key[t] = (uchar)(in[GID] >> 5);
	BARRIER();
	for (uint round = 0; round < 64; round++) {
		uint at = 2 * (t & 31) + (round & 1);
		if (t < 32 && at < 63) {
			uchar a = key[at], b = key[at + 1];
			key[at] = a < b ? a : b;
			key[at + 1] = a < b ? b : a;
		}
		BARRIER();
	}
	out[GID] = key[t] | (uint)t << 8;
}
#define TILE(name, type, make, bits) \
	KERNEL(name) \
	{ \
		local type tile[8][8 + 1]; \
		uint x = LID & 7, y = LID >> 3; \
		tile[y][x] = make(in[GID]); \
		BARRIER(); \
		type v = tile[x][y], w = tile[7 - y][x]; \
		BARRIER(); \
		tile[x][y] = w; \
		BARRIER(); \
		out[GID] = bits(v) ^ bits(tile[y][x]) * 3; \
	}
#define TO_UCHAR(x) ((uchar)((x) >> 7))
#define TO_DOUBLE(x) small_double(x, ~(x))
#define TO_PAIR(x) ((half2)(small_half(x), small_half((x) >> 16)))
#define PAIR_BITS(p) (half_bits((p).x) | half_bits((p).y) << 16)
#define TO_QUAD(x) ((uint4)(x, (x) * 3, (x) ^ 5, (x) >> 7))
#define QUAD_BITS(q) ((q).x ^ (q).y * 3 ^ (q).z * 5 ^ (q).w * 7)
#define TO_LONG(x) ((ulong)(x) << 29 ^ (x))
#define LONG_BITS(x) ((uint)(x) ^ (uint)((x) >> 32) * 5)
TILE(tile_uchar, uchar, TO_UCHAR, (uint))
TILE(tile_float, float, small_float, float_bits)
TILE(tile_double, double, TO_DOUBLE, double_bits)
TILE(tile_halves, half2, TO_PAIR, PAIR_BITS)
TILE(tile_quads, uint4, TO_QUAD, QUAD_BITS)
TILE(tile_longs, ulong, TO_LONG, LONG_BITS)
