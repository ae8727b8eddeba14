// Texture and surface objects.
__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out)
{
	out[0] = tex2D<float4>(t, 0.5f, 1.5f);
	out[1] = tex1Dfetch<float4>(t, 3);
	out[2] = tex3DLod<float4>(t, 0.f, 1.f, 2.f, 1.f);
	out[3] = tex2DLayered<float4>(t, 1.f, 2.f, 3);
	out[4] = tex2Dgather<float4>(t, 1.f, 2.f, 1);
	surf2Dwrite(out[0], s, 16, 2);
	out[5] = surf2Dread<float4>(s, 0, 1);
}
