package main

func Example_main() {
	main()
	// Output: f32[2,3] [1 4 9 16 25 36]
}
