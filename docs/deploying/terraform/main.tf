# The taxonomy service out of an unpacked release. CloudFormation expands the template, which is why this needs no Rust and no SAM.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "release" {
  type        = string
  description = "The folder of the unpacked release"
}

variable "bucket" {
  type        = string
  description = "A bucket in the region of the stack, for the template and the code of the functions"
}

variable "name" {
  type        = string
  default     = "taxonomy"
  description = "The name of the stack: lower case letters, digits and hyphens, at most 20"
}

variable "parameters" {
  type        = map(string)
  default     = {}
  description = "Parameters of the template, but for those of the code"
}

locals {
  template = "${var.release}/cloudformation.yaml"
}

data "aws_s3_bucket" "code" {
  bucket = var.bucket
}

# The names follow from the bytes, so a changed function is another object under another key.
resource "aws_s3_object" "code" {
  for_each = fileset("${var.release}/functions", "*.zip")
  bucket   = var.bucket
  key      = "taxonomy/${each.value}"
  source   = "${var.release}/functions/${each.value}"
}

resource "aws_s3_object" "template" {
  bucket = var.bucket
  key    = "taxonomy/cloudformation-${filesha256(local.template)}.yaml"
  source = local.template
}

resource "aws_cloudformation_stack" "taxonomy" {
  name         = var.name
  template_url = "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
  parameters   = merge({ CodeBucket = var.bucket }, var.parameters)
  depends_on   = [aws_s3_object.code]
}

output "outputs" {
  value       = aws_cloudformation_stack.taxonomy.outputs
  description = "The outputs of the stack: ApiUrl, SourceBucketName and the others"
}
