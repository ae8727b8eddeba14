// arch: sm_75
// A list on the device's heap: every lane makes one, turns it round, adds it up and gives it back.
#include <stdlib.h>

struct node { struct node *next; int value; };

extern "C" __global__ void heap(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	struct node *list = NULL, *turned = NULL;

	if (i >= n)
		return;
	for (int k = 0; k < (in[i] & 7); k++) {
		struct node *x = (struct node *)malloc(sizeof *x);
		if (!x)
			break;
		x->next = list;
		x->value = in[i] + k;
		list = x;
	}
	while (list) {
		struct node *x = list;
		list = x->next;
		x->next = turned;
		turned = x;
	}
	for (int place = 1; turned; place++) {
		struct node *x = turned;
		sum += place * x->value;
		turned = x->next;
		free(x);
	}
	out[i] = sum;
}
